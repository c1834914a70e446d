//! Statements, blocks and attributes of Filebench's language.

use std::ops::Range;

use super::JobFile;

/// The nesting depth of blocks: process, thread, flowop.
const DEEPEST: usize = 3;

/// A value, as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Text(String),
    Variable(String),
}

/// `name=value`, or a name without a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) range: Range<usize>,
}

/// `define word …`, `thread …` or `flowop word …`, with the contents of its braces.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) word: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) blocks: Vec<Block>,
    pub(super) range: Range<usize>,
}

impl Block {
    /// The attribute under the first of several names that exists.
    pub(super) fn attribute(&self, names: &[&str]) -> Option<&Attribute> {
        names
            .iter()
            .find_map(|name| self.attributes.iter().find(|attribute| attribute.name == *name))
    }
}

/// A statement.
pub(super) enum Statement {
    Set {
        name: String,
        value: Value,
        range: Range<usize>,
    },
    Define(Block),
    Run {
        value: Option<Value>,
        range: Range<usize>,
    },
    /// `eventgen rate=N`.
    Events {
        value: Option<Value>,
        range: Range<usize>,
    },
    Other {
        word: String,
        range: Range<usize>,
    },
}

/// A word, a quoted text, or a punctuation mark.
#[derive(Clone, Debug, PartialEq)]
struct Token<'a> {
    text: &'a str,
    quoted: bool,
    range: Range<usize>,
    /// Whether it is the first of its line.
    first: bool,
}

fn tokens<'a>(text: &'a str, file: &mut JobFile) -> Vec<Token<'a>> {
    const SIGNS: &str = "{},=";
    let mut tokens = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (at, mut rest) = (start, line);
        start += line.len();
        let mut first = true;
        loop {
            rest = rest.trim_start();
            let from = at + line.len() - rest.len();
            let Some(letter) = rest.chars().next().filter(|letter| *letter != '#') else {
                break;
            };
            let (length, skip, quoted) = if letter == '"' {
                let Some(end) = rest[1..].find('"') else {
                    file.syntax("the text has no closing quote", from..from + 1);
                    break;
                };
                (end, 1, true)
            } else if SIGNS.contains(letter) {
                (1, 0, false)
            } else {
                // Parentheses, as in cvar(type=…), enclose a single token.
                let mut depth = 0_u32;
                let end = rest.find(|c: char| {
                    match c {
                        '(' => depth += 1,
                        ')' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    c == '\n'
                        || depth == 0 && (c.is_whitespace() || SIGNS.contains(c) || c == '"' || c == '#')
                });
                (end.unwrap_or(rest.len()), 0, false)
            };
            tokens.push(Token {
                text: &rest[skip..skip + length],
                quoted,
                range: from..from + length + 2 * skip,
                first,
            });
            first = false;
            rest = &rest[length + 2 * skip..];
        }
    }
    tokens
}

/// Parses a text.
pub(super) fn parse(text: &str, file: &mut JobFile) -> Vec<Statement> {
    let tokens = tokens(text, file);
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        file,
    };
    let mut statements = Vec::new();
    while let Some(token) = parser.next() {
        let range = token.range.clone();
        match token.text {
            "set" => statements.extend(parser.set(&range)),
            "define" => statements.extend(parser.block(1).map(Statement::Define)),
            "run" => {
                let value = parser.on_this_line().map(|token| value(&token));
                statements.push(Statement::Run { value, range });
            }
            "eventgen" => {
                let rate = parser.on_this_line().filter(|token| token.text == "rate");
                let given = parser.sign("=").then(|| parser.on_this_line()).flatten();
                let value = given.filter(|_| rate.is_some()).map(|token| value(&token));
                while parser.on_this_line().is_some() {}
                statements.push(Statement::Events { value, range });
            }
            // Messages for people.
            "echo" | "usage" => while parser.on_this_line().is_some() {},
            _ => {
                let word = token.text.to_owned();
                while parser.on_this_line().is_some() {}
                statements.push(Statement::Other { word, range });
            }
        }
    }
    statements
}

struct Parser<'a, 'f> {
    tokens: &'a [Token<'a>],
    at: usize,
    file: &'f mut JobFile,
}

impl<'a> Parser<'a, '_> {
    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        Some(token)
    }

    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    fn on_this_line(&mut self) -> Option<Token<'a>> {
        if self.peek()?.first { None } else { self.next() }
    }

    fn sign(&mut self, sign: &str) -> bool {
        let there = self
            .peek()
            .is_some_and(|token| !token.quoted && token.text == sign);
        self.at += usize::from(there);
        there
    }

    fn set(&mut self, range: &Range<usize>) -> Option<Statement> {
        let name = self.on_this_line();
        let equals = self.sign("=");
        let value_token = self.on_this_line();
        match (name, equals, value_token) {
            (Some(name), true, Some(given)) if name.text.starts_with('$') => Some(Statement::Set {
                name: name.text[1..].to_owned(),
                value: value(&given),
                range: given.range,
            }),
            (Some(name), _, _) if name.text == "mode" => {
                while self.on_this_line().is_some() {}
                Some(Statement::Other {
                    word: "set mode".to_owned(),
                    range: range.clone(),
                })
            }
            _ => {
                while self.on_this_line().is_some() {}
                self.file
                    .syntax("`set` is written `set $name=value`", range.clone());
                None
            }
        }
    }

    /// A block from its word on, after `define` or `flowop`.
    fn block(&mut self, depth: usize) -> Option<Block> {
        let Some(word) = self.next() else {
            let end = self.tokens.last().map_or(0..0, |token| token.range.clone());
            self.file.syntax("the file ends in a definition", end);
            return None;
        };
        let mut block = Block {
            word: word.text.to_owned(),
            attributes: Vec::new(),
            blocks: Vec::new(),
            range: word.range,
        };
        let mut goes_on = false;
        loop {
            if self.sign("{") {
                self.inside(&mut block, depth);
                return Some(block);
            }
            let Some(token) = self.peek() else { break };
            // After a comma a list continues on the next line.
            if token.first && !goes_on && token.text != "," || token.text == "}" && !token.quoted {
                break;
            }
            self.at += 1;
            goes_on = token.text == "," && !token.quoted;
            if goes_on {
                continue;
            }
            let given = if self.sign("=") { self.next() } else { None };
            block.attributes.push(Attribute {
                name: token.text.to_owned(),
                range: token.range.start..given.as_ref().map_or(token.range.end, |given| given.range.end),
                value: given.as_ref().map_or(Value::Number(1.0), value),
            });
        }
        Some(block)
    }

    /// The contents of braces.
    fn inside(&mut self, block: &mut Block, depth: usize) {
        while let Some(token) = self.peek() {
            if self.sign("}") {
                return;
            }
            if depth >= DEEPEST {
                self.file
                    .syntax("nothing stands in the braces of a flowop", token.range.clone());
                self.at += 1;
                continue;
            }
            match token.text {
                "flowop" => {
                    self.at += 1;
                    block.blocks.extend(self.block(depth + 1));
                }
                "thread" => block.blocks.extend(self.block(depth + 1)),
                _ => {
                    let message = format!("`{}` does not belong here", token.text);
                    self.file.syntax(message, token.range.clone());
                    self.file.help("a process has threads, and a thread has flowops");
                    self.at += 1;
                }
            }
        }
        self.file.syntax("the braces are not closed", block.range.clone());
    }
}

/// A number with an optional suffix (k, m, g, t: powers of 1024), the mean of a random variable, a variable,
/// or a text.
fn value(token: &Token<'_>) -> Value {
    let text = token.text;
    if token.quoted {
        return Value::Text(text.to_owned());
    }
    if let Some(name) = text.strip_prefix('$') {
        return Value::Variable(name.to_owned());
    }
    if text.starts_with("cvar(") {
        let mean = text.split_once("mean:").and_then(|(_, rest)| {
            let end = rest
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(rest.len());
            rest[..end].parse().ok()
        });
        if let Some(mean) = mean {
            return Value::Number(mean);
        }
    }
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let scale = match text[digits..].to_ascii_lowercase().as_str() {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1_048_576.0,
        "g" => 1_073_741_824.0,
        "t" => 1_099_511_627_776.0,
        _ => return Value::Text(text.to_owned()),
    };
    match text[..digits].parse::<f64>() {
        Ok(number) => Value::Number(number * scale),
        Err(_) => match text {
            "true" => Value::Number(1.0),
            "false" => Value::Number(0.0),
            _ => Value::Text(text.to_owned()),
        },
    }
}
