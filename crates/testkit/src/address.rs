//! Percent-encoded addresses, as in `data:` addresses of pages.

/// Decodes percent-encoded bytes `%XX`; all others are unchanged.
///
/// # Panics
///
/// If a percent sign is not followed by two hexadecimal digits.
pub fn percent_decoded(address: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut letters = address.bytes();
    while let Some(letter) = letters.next() {
        if letter == b'%' {
            let digits = [letters.next(), letters.next()].map(|digit| digit.expect("two digits"));
            let digits = std::str::from_utf8(&digits).expect("digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("hexadecimal"));
        } else {
            bytes.push(letter);
        }
    }
    bytes
}
