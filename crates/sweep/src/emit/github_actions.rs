//! A workflow for GitHub Actions: a matrix of shards, and a job that merges them and checks the gate.

use super::{EmitError, Job, quoted, yaml};

/// The maximum number of jobs in a matrix.
const MOST: u64 = 256;

pub(crate) fn workflow(job: &Job) -> Result<String, EmitError> {
    if job.shards > MOST {
        return Err(EmitError::TooManyShards {
            engine: "GitHub Actions",
            most: MOST,
        });
    }
    let shards: Vec<String> = (1..=job.shards).map(|shard| shard.to_string()).collect();
    Ok(format!(
        "# Runs {count} shards as jobs of a matrix, merges their journals, and fails where an expectation does not hold.
# `bandgraph` is built from this repository; put whatever installs it in your own in that place.
name: {name}
on: [push, workflow_dispatch]
jobs:
  shard:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        shard: [{shards}]
    steps:
      - uses: actions/checkout@v4
      - run: cargo install --locked --path .
      - env:
          SHARD: ${{{{ matrix.shard }}}}
        run: {run}
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: journal-${{{{ matrix.shard }}}}
          path: {journals}
  gate:
    needs: shard
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cargo install --locked --path .
      - uses: actions/download-artifact@v4
        with:
          pattern: journal-*
          path: {journals}
          merge-multiple: true
      - run: {merge}
      - if: always()
        run: cat summary.md >> \"$GITHUB_STEP_SUMMARY\"
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: results
          path: |
            results.csv
            junit.xml
",
        count = job.shards,
        name = yaml(&job.name),
        shards = shards.join(", "),
        run = data(&format!(
            "mkdir -p {} && {}",
            quoted(&job.journals),
            job.run(&format!("\"$SHARD\"/{}", job.shards))
        )),
        journals = data(&job.journals),
        merge = data(&job.merge()),
    ))
}

/// A text as YAML that a workflow takes literally: `${{` becomes an expression whose value is `${{`.
fn data(text: &str) -> String {
    yaml(&text.replace("${{", "${{ '${{' }}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_expressions() {
        let job = Job {
            sweep: "a${{ github.token }}.toml".to_owned(),
            sets: vec!["name=${{ secrets.KEY }}".to_owned()],
            draws: None,
            name: "sweep-a".to_owned(),
            shards: 2,
            journals: "j${{ github.token }}".to_owned(),
            program: "bandgraph".to_owned(),
            image: String::new(),
        };
        let workflow = workflow(&job).expect("two shards");
        let own = workflow
            .replace("${{ matrix.shard }}", "")
            .replace("${{ '${{' }}", "");
        assert!(!own.contains("${{"), "{own}");
        assert!(
            workflow.contains("'a${{ '${{' }} github.token }}.toml'"),
            "{workflow}"
        );
    }
}
