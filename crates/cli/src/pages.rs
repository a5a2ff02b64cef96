//! The pages of `docs/errors`, compiled in.

use base::Code;

macro_rules! pages {
    ($($number:literal $file:literal)*) => {
        /// Each code with its page, in order.
        pub const PAGES: &[(Code, &str)] =
            &[$((Code($number), include_str!(concat!("../../../docs/errors/", $file, ".md")))),*];
    };
}

pages! {
    101 "E0101"
    102 "E0102"
    103 "E0103"
    104 "E0104"
    105 "E0105"
    106 "E0106"
    107 "E0107"
    108 "E0108"
    109 "E0109"
    110 "E0110"
    111 "E0111"
    112 "E0112"
    113 "E0113"
    114 "E0114"
    115 "E0115"
    201 "E0201"
    202 "E0202"
    203 "E0203"
    204 "E0204"
    205 "E0205"
    206 "E0206"
    207 "E0207"
    208 "E0208"
    209 "E0209"
    210 "E0210"
    211 "E0211"
    212 "E0212"
    301 "E0301"
    302 "E0302"
    303 "E0303"
    304 "E0304"
    305 "E0305"
    306 "E0306"
    307 "E0307"
    308 "E0308"
    309 "E0309"
    310 "E0310"
    311 "E0311"
    312 "E0312"
    313 "E0313"
    314 "E0314"
    315 "E0315"
    316 "E0316"
    317 "E0317"
    318 "E0318"
    319 "E0319"
    320 "E0320"
    321 "E0321"
    322 "E0322"
    324 "E0324"
    325 "E0325"
    327 "E0327"
    328 "E0328"
    401 "E0401"
    402 "E0402"
    403 "E0403"
    404 "E0404"
    405 "E0405"
    406 "E0406"
    407 "E0407"
    408 "E0408"
    409 "E0409"
    410 "E0410"
    411 "E0411"
    501 "E0501"
    502 "E0502"
    601 "W0601"
    602 "W0602"
    603 "W0603"
    604 "W0604"
    605 "W0605"
    701 "E0701"
    702 "E0702"
}

#[cfg(test)]
mod tests {
    use base::codes::{self, *};
    use evert::Session;

    use super::*;
    use crate::blocks::blocks;
    use crate::test::program;

    /// Codes that a few lines of a program can't show: they need other files, a host or a command, or are never raised so far.
    const NOT_SHOWN: [Code; 11] = [
        NESTED_TOO_DEEPLY,
        NOT_UTF8,
        FILE_TOO_LARGE,
        CIRCULAR_IMPORT,
        OUT_OF_STEPS,
        OUT_OF_MEMORY,
        BAD_DATA,
        BAD_ARGUMENT,
        NOT_YET_DEFINED,
        NOT_FINITE,
        NOT_DERIVED,
    ];

    fn codes_of(text: &str) -> Vec<Code> {
        let mut session = Session::offline();
        let checked = program(&mut session, "page.ev", text, &mut vec![]);
        let warnings = session.warnings.iter().map(|warning| warning.code);
        checked.into_iter().filter_map(Result::err).map(|error| error.code).chain(warnings).collect()
    }

    #[test]
    fn every_code_has_a_page_under_its_title() {
        let expected: Vec<(Code, String)> =
            codes::ALL.iter().map(|(code, title)| (*code, format!("# {code}: {title}"))).collect();
        let found: Vec<(Code, String)> =
            PAGES.iter().map(|(code, page)| (*code, page.lines().next().unwrap_or("").to_string())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_example_leads_to_its_code_and_no_other() {
        for (code, page) in PAGES.iter().filter(|(code, _)| !NOT_SHOWN.contains(code)) {
            let blocks = blocks(page);
            assert_eq!(blocks[0].fails_with, Some(*code), "{code}");
            let mut found = codes_of(&blocks[0].text);
            found.dedup();
            // A rule that a warning is about is also found wrong where it is compared with numbers.
            found.retain(|other| other == code || *other != codes::RULE_CHECK_FAILED || !is_warning(*code));
            assert_eq!(found, [*code]);
        }
    }

    fn is_warning(code: Code) -> bool {
        code.to_string().starts_with('W')
    }

    #[test]
    fn what_cannot_be_shown_is_not_claimed_to_run() {
        for (code, page) in PAGES.iter().filter(|(code, _)| NOT_SHOWN.contains(code)) {
            assert!(page.contains("```text\n"), "{code}");
            assert!(blocks(page).iter().all(|block| block.fails_with.is_none()), "{code}");
        }
    }

    #[test]
    fn every_correction_runs() {
        for (code, page) in PAGES {
            let blocks = blocks(page);
            let last = blocks.last().unwrap_or_else(|| panic!("{code} has no correction"));
            assert_eq!(last.fails_with, None, "{code}");
            assert_eq!(codes_of(&last.text), [], "{code}");
        }
    }
}
