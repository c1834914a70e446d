//! `docs/validation.md` and its pictures, from one prediction of everything that was measured.

use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Sources, render};
use bandgraph_report::{
    CalibrateDocument, CalibrateReport, ValidateDocument, ValidateReport, ValidateScenarioDocument, check,
    json, validation_page,
};
use bandgraph_scenario::{load_calibration, scenario_folders};
use bandgraph_study::{
    Calibration, Method, ModelErrors, Validation, ValidationSet, add_intervals, deviations,
};

use crate::pictures::draw;
use crate::program::Scratch;
use crate::{Made, Outcome};

const CALIBRATION: &str = "scenarios/calibrations/fishworks-2009.toml";
/// Draws of the figures of each scenario, for intervals.
const DRAWS: u32 = 400;
/// The one system to which the calibration is fitted again, to predict the others.
const FIT_ON: &str = "sun-7410-barcelona";

/// The page and its pictures.
///
/// # Errors
///
/// What keeps it from being made; if `must_hold`, also a point outside its tolerance.
pub(crate) fn page(must_hold: bool) -> Outcome<Vec<Made>> {
    let (folders_of_today, other_folders): (Vec<_>, Vec<_>) = scenario_folders(Path::new("scenarios"))
        .into_iter()
        .partition(|folder| folder.ends_with("modern"));
    let (others, mut validation) = validated(&other_folders)?;
    let (of_today, mut of_today_validation) = validated(&folders_of_today)?;
    let sets = &mut [
        (&others, validation.points.as_mut_slice()),
        (&of_today, of_today_validation.points.as_mut_slice()),
    ];
    let model_errors = add_intervals(sets, DRAWS);
    let all = validation.points.iter().chain(&of_today_validation.points);
    let deviations = deviations(all).into_bytes();
    let document = document_of(&other_folders, &others, validation, model_errors);
    let today = document_of(&folders_of_today, &of_today, of_today_validation, model_errors);
    check(&document)?;
    if must_hold && !(document.summary.ok && today.summary.ok) {
        return Err("a prediction is outside its tolerance: see `cargo run -- validate`".into());
    }
    let page = validation_page(&document, &today, &calibrations()?);
    let made = [
        ("docs/validation.md", page.into_bytes()),
        ("crates/study/src/validate/shipped.txt", deviations),
    ];
    let mut made: Vec<Made> = made
        .map(|(path, content)| Made {
            path: path.to_owned(),
            content,
        })
        .into();
    let scratch = Scratch::new()?;
    std::fs::write(scratch.path("validation.json"), json(&document))?;
    std::fs::write(scratch.path("today.json"), json(&today))?;
    for (of, kind, name) in [
        ("validation.json", "measured", "measured"),
        ("validation.json", "errors", "errors"),
        ("validation.json", "coverage", "coverage"),
        ("today.json", "coverage", "coverage-today"),
        ("validation.json", "links", "links"),
    ] {
        let name = format!("validation-{name}");
        made.push(draw(&scratch, of, &name, &["--picture", kind])?);
    }
    Ok(made)
}

/// The scenarios of some folders, with their predictions.
fn validated(folders: &[PathBuf]) -> Outcome<(ValidationSet, Validation)> {
    let mut sources = Sources::new();
    let set = ValidationSet::load(folders, &[], &mut sources)
        .map_err(|diagnostics| text(&diagnostics, &sources))?;
    let validation = set.validate(Method::Predict, &|_, _| ())?;
    Ok((set, validation))
}

fn document_of(
    folders: &[PathBuf],
    set: &ValidationSet,
    validation: Validation,
    model_errors: ModelErrors,
) -> ValidateDocument {
    ValidateDocument::new(&ValidateReport {
        method: Method::Predict,
        files: folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect(),
        overrides: Vec::new(),
        scenarios: set
            .scenarios()
            .iter()
            .map(ValidateScenarioDocument::new)
            .collect(),
        validation,
        model_errors: Some(model_errors),
    })
}

/// The calibration fitted to all its data, with each system left out in turn; and fitted to one system.
fn calibrations() -> Outcome<Vec<CalibrateDocument>> {
    let mut sources = Sources::new();
    let file = load_calibration(Path::new(CALIBRATION), &mut sources)
        .map_err(|diagnostics| text(&diagnostics, &sources))?;
    let calibration =
        Calibration::new(&file, &mut sources).map_err(|diagnostics| text(&diagnostics, &sources))?;
    let left_out = calibration.leave_one_out(&|_, _| ())?;
    let to_all = CalibrateReport::new(&file, calibration.fit(&|_| true)?, left_out);
    let to_one = CalibrateReport {
        name: format!("{} on {FIT_ON} alone", file.name),
        ..CalibrateReport::new(&file, calibration.fit(&|system| system == FIT_ON)?, Vec::new())
    };
    let documents = [to_all, to_one].map(|report| CalibrateDocument::new(&report));
    for document in &documents {
        check(document)?;
    }
    Ok(documents.into())
}

fn text(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    render::full(diagnostics, sources, false)
}
