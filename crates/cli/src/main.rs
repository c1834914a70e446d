//! The `bandgraph` program: hands over to the command line library.

fn main() -> std::process::ExitCode {
    bandgraph_cli::main()
}
