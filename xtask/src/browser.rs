//! Pages of results in a real browser: they render, their scripts run without an error, and clicks do what
//! they should. Not among the tests, since it needs Chromium.

use std::process::{Command, Stdio};

use crate::Outcome;
use crate::program::bandgraph;

/// Where pages and pictures of them go.
const FOLDER: &str = "target/browser";
/// What clicks through a page and writes down what it found, as an attribute of the page.
const PROBE: &str = include_str!("browser_probe.js");
/// Names of the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Results that pages are made of: a name, and the command that makes it.
const RESULTS: [(&str, &[&str]); 2] = [
    (
        "before",
        &["run", "scenarios/7410-barcelona/cached-read.toml", "--predict"],
    ),
    (
        "after",
        &[
            "run",
            "scenarios/7410-barcelona/cached-read.toml",
            "--predict",
            "--set",
            "link.*.part=ht3-x16",
        ],
    ),
];
/// Pages: a name, and the command that makes it.
const PAGES: [(&str, &[&str]); 11] = [
    (
        "run",
        &["run", "scenarios/7410-barcelona/cached-read.toml", "--predict"],
    ),
    (
        "whatif",
        &[
            "whatif",
            "scenarios/7410-barcelona/cached-read.toml",
            "--variant",
            "one bridge: card.nic1.slot=s3",
            "--variant",
            "HT3: link.*.part=ht3-x16",
        ],
    ),
    ("ladder", &["ladder", "scenarios/7410-barcelona/cached-read.toml"]),
    (
        "place",
        &[
            "place",
            "scenarios/7410-istanbul/disk-read.toml",
            "--confirm",
            "0",
        ],
    ),
    ("sweep", &["sweep", "scenarios/sweeps/7410-io-size.toml"]),
    (
        "validate",
        &["validate", "scenarios/7410-istanbul/cached-read.toml"],
    ),
    (
        "disks",
        &["run", "scenarios/7410-istanbul/disk-read.toml", "--predict"],
    ),
    ("nvme", &["run", "scenarios/nvme-2-socket/fio.toml", "--predict"]),
    (
        "compare",
        &[
            "compare",
            "target/browser/before.json",
            "target/browser/after.json",
        ],
    ),
    (
        "calibrate",
        &["calibrate", "scenarios/calibrations/sas-grid-client.toml"],
    ),
    (
        "inspect",
        &[
            "inspect",
            "examples/server/dmidecode.txt",
            "examples/server/pciconf.txt",
        ],
    ),
];
/// Sizes in which pages are clicked through.
const WINDOWS: [&str; 2] = ["--window-size=1200,1600", "--window-size=500,1600"];

/// Opens every page, clicks through it, and takes pictures of it: light, dark, narrow, printed.
///
/// # Errors
///
/// If there is no browser, or a page is not as it should be.
pub(crate) fn browser() -> Outcome<()> {
    std::fs::create_dir_all(FOLDER)?;
    let browser = BROWSERS
        .into_iter()
        .find(|name| {
            Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .status()
                .is_ok()
        })
        .ok_or("there is no Chromium: install the package `chromium`")?;
    for (name, arguments) in RESULTS {
        let result = format!("{FOLDER}/{name}.json");
        let written = ["--format", "json", "--output", &result];
        bandgraph(&arguments.iter().copied().chain(written).collect::<Vec<_>>())?;
    }
    for (name, arguments) in PAGES {
        let page = format!("{FOLDER}/{name}.html");
        let written = ["--format", "html", "--output", &page];
        bandgraph(&arguments.iter().copied().chain(written).collect::<Vec<_>>())?;
        // The probe is a script of the page, so that it runs where the page's own scripts run.
        let html = std::fs::read_to_string(&page)?;
        let probed = html
            .replacen(
                "<head>",
                "<head>\n<script>window.problems=[];addEventListener('error',(event)=>\
             window.problems.push(event.message));</script>",
                1,
            )
            .replacen("</body>", &format!("<script>\n{PROBE}</script>\n</body>"), 1);
        let probe = format!("{FOLDER}/{name}-probe.html");
        std::fs::write(&probe, probed)?;
        let address = |page: &str| -> Outcome<String> {
            Ok(format!("file://{}", std::fs::canonicalize(page)?.display()))
        };
        for window in WINDOWS {
            let output = headless(browser, &["--dump-dom", window, &address(&probe)?])?;
            let said = output
                .split_once("data-probe=\"")
                .and_then(|(_, rest)| rest.split_once('"'));
            match said {
                Some(("ok", _)) => println!("{name}: ok ({window})"),
                Some((problems, _)) => return Err(format!("{name} ({window}): {problems}").into()),
                None => return Err(format!("{name}: the page did not run").into()),
            }
        }
        for (suffix, options) in [
            ("light", &["--window-size=1200,1600"][..]),
            (
                "dark",
                &[
                    "--window-size=1200,1600",
                    "--blink-settings=preferredColorScheme=0",
                ],
            ),
            ("narrow", &["--window-size=500,1600"]),
        ] {
            let picture = format!("--screenshot={FOLDER}/{name}-{suffix}.png");
            let page = address(&page)?;
            let all = options.iter().copied().chain([picture.as_str(), page.as_str()]);
            headless(browser, &all.collect::<Vec<_>>())?;
        }
        let print = format!("--print-to-pdf={FOLDER}/{name}.pdf");
        headless(browser, &[&print, &address(&page)?])?;
    }
    println!("pictures: {FOLDER}");
    Ok(())
}

/// What the browser prints when it is run without a window.
fn headless(browser: &str, arguments: &[&str]) -> Outcome<String> {
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--timeout=10000",
        ])
        .args(arguments)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
