//! The built-in stacks, `stacks/*.toml` in this crate, and the `[stack]` table of a file. A new stack is a
//! new file there.
//!
//! The file of a stack has the format of a scenario's `[stack]` table and is read by the same code, so that a
//! user's own stack is such a file, which scenarios `include`.

use std::sync::{Arc, OnceLock};

use bandgraph_config::{
    Custom, Decoded, Decoder, Described, Entry, Field, Identity, Made, NOTE, Node, Origin, STATUS, Shape,
    Table, Value, kinds, read_embedded, reference,
};
use bandgraph_diagnostics::{Diagnostic, one_of};
use bandgraph_workload::ProtocolKind;
use serde_json::{Value as Json, json};

use crate::{Correlation, Correlations, ModelError, Stack};

/// The name and the text of each built-in stack, in the order of the names.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/stacks.rs"));

/// The names of the built-in stacks.
pub fn profile_names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

/// A built-in stack; `None` for an unknown name. It is read on first use.
pub fn profile(name: &str) -> Option<&'static Stack> {
    static PROFILES: [OnceLock<Option<Stack>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    let index = FILES.iter().position(|(known, _)| *known == name)?;
    let (name, text) = FILES[index];
    let read = || {
        read_embedded(&FILE, &format!("stacks/{name}.toml"), text, |file| {
            let mut stack: Stack = file.table("stack")?.made_as().cloned()?;
            stack.profile.clone_from(&stack.name);
            Some(stack)
        })
    };
    PROFILES[index].get_or_init(read).as_ref()
}

/// The built-in stacks that may fit a server and its load: all but those of one program.
pub fn general_profiles() -> impl Iterator<Item = &'static Stack> {
    let all = profile_names().into_iter().filter_map(profile);
    all.filter(|stack| !stack.one_program)
}

/// Processors from this year on are of today.
const TODAY: u64 = 2015;

/// The usual stack of a scenario that names none, for a server with processors of this year. Before 2015 it
/// is the one for the protocol whose years are nearest, of several [`Stack::DEFAULT`]; then the one for the
/// protocol that has been in use for longest, of those that end no earlier than others before this year; or
/// for NFS over TCP if there is none.
pub fn usual_profile(year: u64, protocol: ProtocolKind) -> Option<&'static Stack> {
    if year < TODAY {
        let apart = |stack: &Stack| {
            let [first, last] = stack.years.unwrap_or_default().map(u64::from);
            year.saturating_sub(last).max(first.saturating_sub(year))
        };
        let usual = profile(Stack::DEFAULT);
        let suits = usual.filter(|usual| usual.protocols.contains(&protocol));
        // Others are read only if they have to be.
        if suits.is_some_and(|usual| usual.years.is_some_and(|[_, last]| year <= u64::from(last))) {
            return usual;
        }
        let others = general_profiles().filter(|stack| stack.protocols.contains(&protocol));
        let nearest = suits.into_iter().chain(others).min_by_key(|stack| apart(stack));
        return nearest.or(usual);
    }
    let for_protocol = |protocol| {
        let of_today = general_profiles().filter_map(|stack| {
            let [first, last] = stack.years?;
            (stack.protocols.contains(&protocol) && u64::from(last) >= TODAY).then_some((last, first, stack))
        });
        let of_today: Vec<_> = of_today.collect();
        let end = of_today.iter().map(|(last, ..)| u64::from(*last)).max()?;
        let in_use = of_today
            .iter()
            .filter(|(last, ..)| u64::from(*last) >= year.min(end));
        in_use
            .min_by_key(|(_, first, _)| *first)
            .map(|(.., stack)| *stack)
    };
    for_protocol(protocol).or_else(|| for_protocol(ProtocolKind::Nfs3Tcp))
}

kinds! {
    /// A stack.
    static FILE("stack file") {
        /// The stack.
        stack: Shape::Table(&STACK);
    }

    /// What the server's software costs, in terms that do not depend on the hardware: a named profile, any
    /// figure of which can be overridden. A file with such a table alone is a stack of your own, which
    /// scenarios `include`; the built-in stacks are such files (`bandgraph stacks show NAME` prints them). A
    /// figure may say where it comes from: `misses_per_byte = { value = 0.06, status = "fitted", source =
    /// "our runs of May", note = "..." }`, with a `range` around its value.
    pub static STACK("stack", Identity::Single, StackFields) {
        /// The name of the stack in reports; that of its `profile` if left out.
        name: Shape::Id, optional;
        /// The built-in stack that all figures come from that are not given here. Without it, a stack with a
        /// `name` gives all figures that have no default, and one without has the usual profile of the
        /// server's years and of the protocol: for NFS `fishworks-2009` for processors before 2014.
        profile: Shape::Choice(profile_names), optional;
        /// The software and the systems that it fits.
        fits: Shape::Text, optional;
        /// The first and the last year of software that it fits: `[2008, 2010]`.
        years: Shape::Custom(&YearsShape), optional;
        /// The protocols whose operations its figures are of; those of its `profile` if left out.
        protocols: Shape::Custom(&ProtocolsShape), optional;
        /// The errors of the model on one machine, by kind of limit, from measurements of it.
        model_error: Shape::Entries(ModelError::KIND), optional;
        /// The correlations of figures that were fitted together, one entry for each figure. Those of its
        /// `profile` if left out.
        correlation: Shape::Entries(Correlation::KIND), optional;
        /// The measurements of one machine that the figures were learned from, so that a later calibration
        /// notices one that it has twice.
        learned_from: Shape::Texts, optional;
        STATUS;
        /// Where the figures come from that are given here.
        source: Shape::Text, optional;
        NOTE;
    }
}

/// A first and a last year. Reads as `[u32; 2]`.
#[derive(Debug)]
struct YearsShape;

impl Custom for YearsShape {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        let year = |node: &Node| match node.value {
            Value::Integer(year) => u32::try_from(year)
                .ok()
                .filter(|year| (1900..=2100).contains(year)),
            _ => None,
        };
        let years: Option<Vec<u32>> = node.items().iter().map(year).collect();
        match years.as_deref() {
            Some(&[first, last]) if first <= last => Some(Arc::new([first, last])),
            _ => {
                decoder.problems.push(
                    Diagnostic::error(
                        "value::years",
                        format!("`{}` is two years, the first and the last", field.name),
                    )
                    .at(node.place.clone())
                    .help("write them as `[2008, 2010]`, from 1900 to 2100"),
                );
                None
            }
        }
    }

    fn schema(&self) -> Json {
        let year = json!({ "type": "integer", "minimum": 1900, "maximum": 2100 });
        json!({ "type": "array", "items": year, "minItems": 2, "maxItems": 2 })
    }

    fn reference(&self) -> String {
        "two years".to_owned()
    }
}

/// Names of protocols. Reads as `Vec<ProtocolKind>`.
#[derive(Debug)]
struct ProtocolsShape;

impl ProtocolsShape {
    fn names() -> Vec<&'static str> {
        ProtocolKind::ALL.iter().map(|protocol| protocol.name()).collect()
    }
}

impl Custom for ProtocolsShape {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        let protocol = |node: &Node| match &node.value {
            Value::Text(name) => ProtocolKind::ALL.iter().copied().find(|kind| kind.name() == name),
            _ => None,
        };
        let protocols: Option<Vec<ProtocolKind>> = node.items().iter().map(protocol).collect();
        match protocols {
            Some(protocols) if !protocols.is_empty() => Some(Arc::new(protocols)),
            _ => {
                decoder.problems.push(
                    Diagnostic::error(
                        "value::unknown_choice",
                        format!("`{}` is a list of names of protocols", field.name),
                    )
                    .at(node.place.clone())
                    .help(format!("the protocols are {}", one_of(Self::names()))),
                );
                None
            }
        }
    }

    fn schema(&self) -> Json {
        let names = Self::names();
        json!({ "type": "array", "items": { "enum": names }, "minItems": 1 })
    }

    fn reference(&self) -> String {
        "list of protocols".to_owned()
    }
}

/// The figures of a stack as fields of its table.
#[derive(Debug)]
struct StackFields;

impl Described for StackFields {
    fn read(
        &self,
        decoder: &mut Decoder<'_>,
        given: &[(&String, &Entry)],
        table: &Table,
        decoded: &mut Decoded,
    ) {
        let fields: Vec<&'static Field> = Stack::KIND.fields().collect();
        let base = match decoded.text("profile") {
            None if table.contains_key("profile") => return decoder.refuse_unknown(given, &fields, decoded),
            None if table.contains_key("name") => None,
            None => profile(Stack::DEFAULT),
            Some(name) => profile(name),
        };
        let mut stack = base.cloned().unwrap_or_default();
        decoder.set_fields(given, &fields, decoded, |name, value| stack.set(name, value));
        if base.is_none() {
            decoder.require_fields(&fields, table, decoded);
        }
        stack.profile = base.map_or_else(String::new, |base| base.name.clone());
        // What the base fits says nothing about a profile of its own.
        if table.contains_key("name") {
            stack.fits.clear();
            stack.years = None;
        }
        for (field, slot) in [("name", &mut stack.name), ("fits", &mut stack.fits)] {
            if let Some(text) = decoded.text(field) {
                text.clone_into(slot);
            }
        }
        if let Some(years) = decoded.custom::<[u32; 2]>("years") {
            stack.years = Some(*years);
        }
        if let Some(protocols) = decoded.custom::<Vec<ProtocolKind>>("protocols") {
            stack.protocols.clone_from(protocols);
        }
        for own in decoded.entries("model_error").iter().map(ModelError::from_table) {
            stack.model_errors.retain(|known| known.limit != own.limit);
            stack.model_errors.push(own);
        }
        let learned_from = decoded.names("learned_from").iter();
        stack
            .learned_from
            .extend(learned_from.map(|name| name.text.clone()));
        if table.contains_key("correlation") {
            let is_field = |field: &str| Stack::KIND.field(field).is_some();
            match Correlations::decoded(decoder, decoded.entries("correlation"), is_field) {
                Some(found) => stack.correlations = Arc::new(found),
                None => decoded.sound = false,
            }
        }
        let mut origin = Origin::of(decoded, base.map(|base| &*base.origin));
        if !table.contains_key("name") {
            origin.are_certain(&decoded.figures);
        }
        stack.origin = Arc::new(origin);
        stack.is_default = ["profile", "name"]
            .iter()
            .all(|field| !table.contains_key(*field));
        decoded.made = Some(Arc::new(stack));
    }

    fn fields(&self) -> Vec<&'static [Field]> {
        Stack::KIND.groups.to_vec()
    }

    fn reference(&self) -> String {
        let rows = Stack::KIND.fields().map(|field| {
            let (value, doc) = (reference::value(field), field.doc);
            format!("\n| `{}` | {value} | {doc} |", field.name)
        });
        let head = "In addition, any figure of the profile:\n\n| field | value | meaning |\n|---|---|---|";
        std::iter::once(head.to_owned()).chain(rows).collect()
    }

    fn takes_figures(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_config::Status;
    use bandgraph_hardware::source;

    use super::*;

    #[test]
    fn the_usual_profile_is_one_of_the_protocol() {
        for (year, protocol, expected) in [
            (2009, ProtocolKind::Nfs3Tcp, "fishworks-2009"),
            (2012, ProtocolKind::Nfs3Tcp, "fishworks-2009"),
            (2014, ProtocolKind::Nfs3Tcp, "linux-nfsd-tcp-2020"),
            (2009, ProtocolKind::TcpStream, "linux-tcp-2008"),
            (2009, ProtocolKind::Host, "linux-local-2009"),
            (2012, ProtocolKind::Host, "linux-fio-aio-2012"),
            (2016, ProtocolKind::Host, "linux-fio-aio-2012"),
            (2023, ProtocolKind::Host, "linux-fio-uring-2022"),
            (2012, ProtocolKind::Smb2, "fishworks-2009-smb"),
            (2014, ProtocolKind::Http, "nginx-sendfile-2015"),
            (2015, ProtocolKind::Https, "nginx-openssl-2015"),
            (2023, ProtocolKind::Https, "nginx-openssl-2018"),
            (2030, ProtocolKind::Https, "nginx-openssl-2018"),
            (2023, ProtocolKind::Smb2, "samba-2020"),
            (2023, ProtocolKind::Nfs3Tcp, "linux-nfsd-tcp-2020"),
        ] {
            let found = usual_profile(year, protocol).map(|stack| stack.name.as_str());
            assert_eq!(found, Some(expected), "{protocol} in {year}");
        }
    }

    /// Every built-in stack is valid, has the name of its file, and states what it was fitted to; every
    /// source is in the bibliography, and published figures have a source.
    #[test]
    fn built_in_stacks_are_whole() {
        for name in profile_names() {
            let stack = profile(name).expect("every file is a stack");
            assert_eq!(stack.name, name);
            assert!(
                !stack.fits.is_empty() && stack.years.is_some() && !stack.protocols.is_empty(),
                "{name}"
            );
            for figure in stack.figures() {
                let of = format!("{} of {name}", figure.field.name);
                if let Some(key) = &figure.source {
                    assert!(source(key).is_some(), "{of}: `{key}` is not in docs/sources.toml");
                }
                assert!(
                    figure.status == Status::Assumed || figure.source.is_some(),
                    "{of} has no source"
                );
                assert_eq!(figure.unexplained(), None, "{of} does not say that");
            }
        }
    }

    #[test]
    fn a_name_that_is_no_stack_is_none() {
        assert_eq!(profile("windows-95"), None);
        assert_eq!(Stack::fishworks_2009().name, Stack::DEFAULT);
    }
}
