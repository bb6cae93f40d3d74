//! An example of each rule: a text whose names differ without it.

use std::borrow::Cow;

use super::Rule;
use crate::scan::kind::TextKind;

/// How to read the text of an [`Example`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExampleReading {
    /// By a [`Scanner`](crate::Scanner), as text of this kind.
    Scan(TextKind),
    /// By [`clean`](crate::clean()), as dirty data.
    Clean,
}

/// A text that shows the effect of a rule: without the rule, other names would be found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example {
    /// How the text is read.
    pub reading: ExampleReading,
    /// The text. If the rule lists words, the first of them is in it.
    pub text: Cow<'static, [u8]>,
    /// The names in the text.
    pub names: &'static [&'static str],
}

/// The place of an item of a list in the text of an example.
pub(super) const ITEM: &str = "{}";

impl Rule {
    /// Returns a text that shows the effect of the rule.
    #[doc(hidden)]
    pub fn example(self) -> Example {
        let first = self.items().first().copied();
        self.case().with_item(first.unwrap_or_default())
    }
}

impl Example {
    /// Returns the example with an item of the rule's list at its place.
    pub(super) fn with_item(mut self, item: &str) -> Example {
        let text = std::str::from_utf8(&self.text).ok();
        if let Some(text) = text.filter(|text| text.contains(ITEM)) {
            self.text = text.replace(ITEM, item).into_bytes().into();
        }
        self
    }
}

const fn scan(text: &'static str, names: &'static [&'static str]) -> Example {
    scan_bytes(text.as_bytes(), names)
}

const fn scan_bytes(text: &'static [u8], names: &'static [&'static str]) -> Example {
    example(ExampleReading::Scan(TextKind::Unknown), text, names)
}

const fn page(text: &'static str, names: &'static [&'static str]) -> Example {
    example(ExampleReading::Scan(TextKind::Html), text.as_bytes(), names)
}

const fn table(text: &'static str, names: &'static [&'static str]) -> Example {
    let kind = TextKind::Ssv;
    example(ExampleReading::Scan(kind), text.as_bytes(), names)
}

const fn clean(text: &'static str, names: &'static [&'static str]) -> Example {
    example(ExampleReading::Clean, text.as_bytes(), names)
}

const fn example(
    reading: ExampleReading,
    text: &'static [u8],
    names: &'static [&'static str],
) -> Example {
    Example {
        reading,
        text: Cow::Borrowed(text),
        names,
    }
}

impl Rule {
    /// Returns the rule's example, in which [`ITEM`] has the place of an item of its list.
    #[rustfmt::skip]
    pub(super) const fn case(self) -> Example {
        match self {
            Rule::InsideNumber => scan("see 110.5555/a", &[]),
            Rule::YearPage => scan("10.5555/jneurosci.1586-10.2010/full", &["10.5555/jneurosci.1586-10.2010"]),
            Rule::LongCode => scan("10.5555/data.2021-10.2365269/19", &["10.5555/data.2021-10.2365269/19"]),
            Rule::SubfieldCode => scan("$2doi$010.5555/a1", &["10.5555/a1"]),
            Rule::DoubledIndicator => scan("doi:10.10.5555/a1", &["10.5555/a1"]),
            Rule::BrokenPrefix => scan("doi: 10. 5555/a1", &["10.5555/a1"]),
            Rule::RegistrantCode => scan("route 10.0.0.0/8", &[]),
            Rule::IsbnPrefix => scan("10.978.86123/abcdef", &[]),
            Rule::CitationKey => scan("<citation key=\"10.5555/a1-b2\">", &[]),
            Rule::Numbers => scan("https://a.example/10.5555/1/2/3/4", &[]),
            Rule::PrefixPage => scan("https://api.example/prefixes/10.5555/works", &[]),
            Rule::MediaFile => page("<a href=\"https://a.example/10.5555/a1{}\">", &[]),
            Rule::Anchor => page("<p {}=\"10.5555/a1\">", &[]),
            Rule::Source => page("<img {}=\"https://a.example/10.5555/a1\">", &[]),
            Rule::MetaMedia => page("<meta property=\"og:{}\" content=\"https://a.example/10.5555/a1\">", &[]),
            Rule::InlineElement => page("<p>see 10.5555/a<{}>b", &["10.5555/ab"]),
            Rule::HiddenPart => scan("doi.org/10.5555/a</span><span class=\"invisible\">b</span>", &["10.5555/ab"]),
            Rule::Enclosure => scan("see \"10.5555/a,b\"", &["10.5555/a,b"]),
            Rule::CellBounds => table("x;DOI: 10.5555/a,b;y", &["10.5555/a,b"]),
            Rule::HardTag => scan("10.5555/a</b>3.0.co;2", &["10.5555/a"]),
            Rule::OptionalBreak => scan("10.5555/a<wbr>b", &["10.5555/ab"]),
            Rule::BreakAfterPrefix => scan("doi: 10.5555/ a1", &["10.5555/a1"]),
            Rule::BreakAfterMark => scan("doi: 10.5555/S0045- 6535(00)", &["10.5555/S0045-6535(00)"]),
            Rule::BreakAfterJournal => scan("doi: 10.5555/j. Abc.1", &["10.5555/j.Abc.1"]),
            Rule::BreakAfterStop => scan("doi: 10.5555/ldr. 1091", &["10.5555/ldr.1091"]),
            Rule::BreakInParentheses => scan("(doi:10.5555/genetics.109. 105692)", &["10.5555/genetics.109.105692"]),
            Rule::BreakInPath => scan("https://a.example/doi/10.5555/ 00140130210160920", &["10.5555/00140130210160920"]),
            Rule::SpacedBreak => scan("https:// doi. org/ 10. 5555/ journ al. pone. 01534 64 (2016)", &["10.5555/journal.pone.0153464"]),
            Rule::BreakBeforeNumber => scan("see 10.5555/journal. pone.0176020", &["10.5555/journal.pone.0176020"]),
            Rule::BreakInShape => scan("see 10.5555/978-3-642-22726-4_\n46", &["10.5555/978-3-642-22726-4_46"]),
            Rule::BreakAfterSoftHyphen => scan("see 10.5555/jour\u{ad}\nnal.1", &["10.5555/journal.1"]),
            Rule::BreakInEscape => scan("see 10.5555/A%\n3A1022645", &["10.5555/A:1022645"]),
            Rule::SiciBlank => scan("10.5555/1(2007)27 [ 32:TLB]2.0.CO;2", &["10.5555/1(2007)27[32:TLB]2.0.CO;2"]),
            Rule::LineEnd => scan("one line of text that is as wide as others\nand another one that is of the same width,\nand now one more: https://doi.org/10.5555/a.1.\nb20 and so on, up to the end of the line\n", &["10.5555/a.1.b20"]),
            Rule::EscapedBreak => scan("doi: 10.5555/ a1", &["10.5555/a1"]),
            Rule::Backslash => scan("10.5555/a\\_1", &["10.5555/a_1"]),
            Rule::Entity => scan("10.5555/a&#45;1", &["10.5555/a-1"]),
            Rule::Latex => scan("10.5555/a{_}1", &["10.5555/a_1"]),
            Rule::Wiki => scan("10.5555/a{{=}}1", &["10.5555/a=1"]),
            Rule::Percent => scan("10.5555/a%2D1", &["10.5555/a-1"]),
            Rule::UrlDefense => scan("https://a.example/v2/url?u=https-3A__doi.org_10.5555_a-5F1&d=b", &["10.5555/a_1"]),
            Rule::DoubledMark => scan("https://a.example/badge/DOI-10.5555/a__1-blue", &["10.5555/a_1"]),
            Rule::Invisible => scan("10.5555/a\u{ad}1", &["10.5555/a1"]),
            Rule::WebScheme => scan("see 10.5555/a1http://b.example", &["10.5555/a1"]),
            Rule::GluedWord => scan("see 10.5555/a1.{}1", &["10.5555/a1"]),
            Rule::FieldMark => scan("x,10.5555/a1,2", &["10.5555/a1"]),
            Rule::Subfield => scan("see 10.5555/a1ƒxA", &["10.5555/a1"]),
            Rule::RoundBracket => scan("(see 10.5555/a1)b", &["10.5555/a1"]),
            Rule::SquareBracket => scan("see 10.5555/a1[1]", &["10.5555/a1"]),
            Rule::EncodedBracket => scan("\"https://doi.org/10.5555/a1%5Bb%5D\"", &["10.5555/a1[b]"]),
            Rule::Angle => scan("10.5555/a1<b>2", &["10.5555/a1"]),
            Rule::SiciAngle => scan("10.5555/1:2<3::aid>3.0.co;2-x", &["10.5555/1:2<3::aid>3.0.co;2-x"]),
            Rule::SiciTail => scan("a;10.5555/1:2<3::aid>3.0.co;2-x;b", &["10.5555/1:2<3::aid>3.0.co;2-x"]),
            Rule::SiciHash => scan("see 10.5555/1:2<3::aid>3.0.co;2-# and", &["10.5555/1:2<3::aid>3.0.co;2-#"]),
            Rule::EncodedAngle => scan("https://doi.org/10.5555/a%3Cb%3Ec", &["10.5555/a<b>c"]),
            Rule::Comma => scan("see 10.5555/a1,b", &["10.5555/a1"]),
            Rule::NoValue => scan("\"10.5555/a1;{}\"", &["10.5555/a1"]),
            Rule::Apostrophe => scan("see 10.5555/a1'(b", &["10.5555/a1"]),
            Rule::Semicolon => scan("see 10.5555/a1;(b", &["10.5555/a1"]),
            Rule::Ampersand => scan("https://a.example/?doi=10.5555/a1&b2", &["10.5555/a1"]),
            Rule::Parameter => scan("see 10.5555/a1;b=c", &["10.5555/a1"]),
            Rule::Quote => scan("see 10.5555/a1&quot;(b", &["10.5555/a1"]),
            Rule::Query => scan("https://doi.org/10.5555/a1?b", &["10.5555/a1"]),
            Rule::Fragment => scan("https://doi.org/10.5555/a1#b", &["10.5555/a1"]),
            Rule::Brace => scan("see 10.5555/a1{b", &["10.5555/a1"]),
            Rule::Mark => scan("see 10.5555/a1>b", &["10.5555/a1"]),
            Rule::NotGraphic => scan("see 10.5555/a1\u{a0}b", &["10.5555/a1"]),
            Rule::OtherEncoding => scan_bytes(b"see 10.5555/978\x963", &["10.5555/978"]),
            Rule::ForeignMark => scan("see 10.5555/日”b", &["10.5555/日"]),
            Rule::OtherScript => scan("DOI 10.5555/a1에서 받기", &["10.5555/a1"]),
            Rule::Dash => scan("see 10.5555/a1‐2 and", &["10.5555/a1‐2"]),
            Rule::EncodedSegment => scan("https://a.example/10.5555%2Fa1/b2", &["10.5555/a1"]),
            Rule::BadgeMessage => scan("https://a.example/badge/DOI-10.5555/a1-b2", &["10.5555/a1"]),
            Rule::FinalSlash => scan("see 10.5555/a1/ and", &["10.5555/a1"]),
            Rule::FinalStopAlone => scan("\"10.5555/a1.\"", &["10.5555/a1"]),
            Rule::FinalMark => scan("see 10.5555/a1. And", &["10.5555/a1"]),
            Rule::FinalEmphasis => scan("*see 10.5555/a1* and", &["10.5555/a1"]),
            Rule::FinalBracket => scan("see 10.5555/a1(", &["10.5555/a1"]),
            Rule::LostCharacter => scan("see 10.5555/a1\u{fffd} and", &["10.5555/a1"]),
            Rule::FieldPage => scan("\"10.5555/a1{}\"", &["10.5555/a1"]),
            Rule::TitleSlug => scan("https://a.example/10.5555/a1/594540/Ice-sheets", &["10.5555/a1"]),
            Rule::PageWord => scan("https://a.example/10.5555/ab/{}/x", &["10.5555/ab"]),
            Rule::PageSegment => scan("https://a.example/10.5555/a1/vollansicht", &["10.5555/a1"]),
            Rule::File => scan("https://a.example/10.5555/a1{}", &["10.5555/a1"]),
            Rule::PathFile => scan("https://a.example/10.5555/a1{}", &["10.5555/a1"]),
            Rule::ArticleView => clean("10.5555/a1{}", &["10.5555/a1"]),
            Rule::ArxivVersion => scan("10.48550/arXiv.2602.12172v1", &["10.48550/arXiv.2602.12172"]),
            Rule::Version => scan("https://a.example/10.5555/436749v2", &["10.5555/436749"]),
            Rule::ArticleId => scan("https://a.example/10.1093/jme/tjz032/5423051", &["10.1093/jme/tjz032"]),
            Rule::GluedTitle => scan("https://doi.org/10.5555/a1Radiative Association", &["10.5555/a1"]),
            Rule::Ellipsis => scan("\"see 10.5555/a1...\"", &[]),
            Rule::Template => scan("f'10.5555/hepdata.{recid}.v1'", &[]),
            Rule::CutShort => clean("10.5555/a1…", &[]),
            Rule::Network => clean("10.0.0.0/8", &[]),
            Rule::QuotedPrintable => clean("10.5555/a=2D1", &["10.5555/a-1"]),
            Rule::Ligature => clean("10.5555/aﬁ1", &["10.5555/afi1"]),
            Rule::Mojibake => clean("10.5555/aâ€“1", &["10.5555/a-1"]),
            Rule::Placeholder => clean("10.5555/xxxxx", &[]),
            Rule::LookAlike => clean("10.5555⁄a1", &["10.5555/a1"]),
            Rule::FontMark => clean("10.5555/a˙1", &["10.5555/a_1"]),
            Rule::LostJoints => clean("10.5555/coli a 00346", &[]),
            Rule::BrokenLine => clean("10.5555/C\n4", &[]),
            Rule::TypesetDash => clean("10.5555/a–1", &["10.5555/a-1"]),
            Rule::Lead => clean("TN_10.5555/a1", &["10.5555/a1"]),
            Rule::DirtPrefix => clean("10..5555/a1", &["10.5555/a1"]),
            Rule::DirtQuery => clean("10.5555/a1?b", &["10.5555/a1"]),
            Rule::Emphasis => clean("**10.5555/ab** PubMed", &["10.5555/ab"]),
            Rule::DoubledEnd => clean("10.5555/x.a007732a007732", &["10.5555/x.a007732"]),
            Rule::GluedText => clean("10.5555/a1Zugriffam", &["10.5555/a1"]),
            Rule::Remark => clean("10.5555/ab.Accessed", &["10.5555/ab"]),
            Rule::Host => clean("10.5555/abc12.jid.example.com", &["10.5555/abc12"]),
            Rule::UnclosedBracket => clean("10.5555/abc(de", &["10.5555/abc"]),
            Rule::TitlePage => clean("10.5555/a1.{}", &["10.5555/a1"]),
            Rule::PlaceInPrint => clean("10.5555/a1,85,1494(2006)", &["10.5555/a1"]),
            Rule::BracketedYear => clean("10.5555/a1(2006)", &["10.5555/a1"]),
            Rule::Tag => clean("10.5555/<i>a</i>b", &["10.5555/ab"]),
            Rule::Note => clean("10.5555/a<sup>1</sup>", &["10.5555/a"]),
            Rule::DirtBreak => clean("10.5555/science. 1109070", &["10.5555/science.1109070"]),
            Rule::SiciEntity => clean("10.5555/002lt;0162:tmethi>2.3.co;2", &["10.5555/002<0162:tmethi>2.3.co;2"]),
            Rule::DoubledJoint => clean("10.5555/978--3--642", &["10.5555/978-3-642"]),
            Rule::ArxivName => clean("10.48550/arXiv:2602.12172", &["10.48550/arXiv.2602.12172"]),
            Rule::AnotherName => clean("10.5555/a1;10.5556/b1", &["10.5555/a1"]),
            Rule::Reread => clean("1O.5555/a1", &["10.5555/a1"]),
            Rule::UnderscoredPrefix => clean("10.5555_a1", &["10.5555/a1"]),
        }
    }
}
