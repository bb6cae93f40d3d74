//! The rules by their ids: where each applies, whether the end that it makes is a guess, and its evidence.
//!
//! `scripts/bench ablate` switches each rule off and prints what it catches in labelled data and how many registered names it
//! damages. With `--book` it compares the damage with the numbers here. A list of words is one rule; each of its words is an
//! item, which can be switched off alone.

/// The texts or places that a rule applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleScope {
    /// Around any name.
    Anywhere,
    /// After a label, a scheme or a proxy.
    Labelled,
    /// In running text, if no enclosure of the name shows its end.
    Prose,
    /// Inside marks that hold just the name, or open before it.
    Enclosed,
    /// In the path of a URL whose host is not a proxy.
    Path,
    /// In a URL.
    Url,
    /// In a web page.
    Page,
    /// In lines that were broken by the layout of a page.
    Printed,
    /// In dirty data that [`clean`](crate::clean()) reads.
    Dirt,
}

impl RuleScope {
    /// Describes the places, in words that continue "applies".
    pub const fn description(self) -> &'static str {
        match self {
            RuleScope::Anywhere => "anywhere",
            RuleScope::Labelled => "after a label such as `DOI`, a scheme or a DOI proxy",
            RuleScope::Prose => {
                "in running text, where nothing that encloses the name shows its end"
            }
            RuleScope::Enclosed => "inside marks that hold just the name, or open before it",
            RuleScope::Path => "in the path of a URL whose host is not a DOI proxy",
            RuleScope::Url => "in a URL",
            RuleScope::Page => "in a web page",
            RuleScope::Printed => "in lines that the layout of a page broke",
            RuleScope::Dirt => "in dirty data",
        }
    }
}

macro_rules! book {
    ($($rule:ident $id:literal $scope:ident $end:ident $damages:literal $triggers:literal $catches:literal;)*) => {
        /// A rule on where names start and end.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = concat!("`", $id, "`: ", $catches, ".")] $rule,)*
        }

        impl Rule {
            /// All rules, in the order of the modules that hold them.
            pub const ALL: [Rule; [$($id),*].len()] = [$(Rule::$rule),*];

            const ROWS: [RuleRow; Rule::ALL.len()] = [$(RuleRow {
                id: $id,
                scope: RuleScope::$scope,
                is_guess: matches!(RuleEnd::$end, RuleEnd::Guess),
                damages: $damages,
                triggers: $triggers,
                catches: $catches,
            }),*];
        }
    };
}

struct RuleRow {
    id: &'static str,
    scope: RuleScope,
    is_guess: bool,
    damages: u32,
    triggers: &'static [u8],
    catches: &'static str,
}

/// Whether an end that a rule makes is a guess.
enum RuleEnd {
    Certain,
    Guess,
}

// Columns: rule, id, where it applies, whether the end that it makes is a guess, how many of 385,484 registered names it damages
// where it applies, the bytes of ASCII at which it looks at a suffix or an escape, what it catches.
//
// The tables that let most bytes of a name be skipped are made from these bytes: a byte that no rule lists belongs to the name.
book! {
    InsideNumber      "start.inside-number"      Anywhere Certain 0  b""        "a prefix in the middle of another number, `110.5555/a` or `1.10.5555/a`, does not start a name";
    YearPage          "start.year-page"          Anywhere Certain 0  b""        "the year at the end of a name and a page of a web site, `1586-10.2010/full`, are not the prefix of another name";
    LongCode          "start.long-code"          Anywhere Certain 0  b""        "a registrant code of six digits or more after a hyphen or a full stop, `2021-10.2365269/`, is inside a name and does not start another";
    SubfieldCode      "start.subfield-code"      Anywhere Certain 0  b""        "a digit after `$` or a similar sign, `$010.5555/a`, is the code of a subfield of a library record";
    DoubledIndicator  "start.doubled-indicator"  Labelled Certain 0  b""        "if the first number of a name was written twice, `10.10.5555/a`, the second one starts the name";
    BrokenPrefix      "start.broken-prefix"      Labelled Certain 0  b""        "white space in a prefix after a label, `doi: 10. 5555/a`, is removed";
    RegistrantCode    "start.registrant-code"    Anywhere Certain 0  b""        "the number after `10.` has four to nine digits, unlike that of a network address, `10.0.0.0/8`";
    IsbnPrefix        "start.isbn-prefix"        Anywhere Certain 0  b""        "an ISBN as a prefix, `10.978.86123/45678`, needs the number of a title after the slash";
    CitationKey       "start.citation-key"       Anywhere Certain 0  b""        "the key of a citation may start with a name, but it is the publisher's own number for a reference";
    Numbers           "page.numbers"             Path     Certain 0  b""        "four parts of digits alone in the path of a URL are the page of an advertising server";
    PrefixPage        "page.prefix"              Path     Certain 0  b""        "after `/prefixes/` a URL leads to a page about a registrant";
    MediaFile         "page.media-file"          Page     Certain 0  b""        "a link that ends like a picture, a sound or a film leads to a part of an article, not to the article";
    Anchor            "page.anchor"              Page     Certain 0  b""        "the attribute that names an element of a web page, such as `id`, holds no DOI name";
    Source            "page.source"              Page     Certain 0  b""        "the attribute that says where a picture is, such as `src`, holds no DOI name";
    MetaMedia         "page.meta-media"          Page     Certain 0  b""        "the address of a picture, film or sound in a `meta` element is not a DOI name";
    InlineElement     "page.inline-element"      Page     Guess   0  b""        "an element of a web page that formats a part of a line, `10.5555/a<b>b</b>`, does not end a name";
    HiddenPart        "page.hidden-part"         Anywhere Guess   0  b""        "social sites hide the end of a link's text in an element of its own; it belongs to the name";
    Enclosure         "enclosure"                Enclosed Certain 0  b""        "quotes, brackets, braces or tags that open before a name and close after it show where it ends";
    CellBounds        "enclosure.cell"           Enclosed Certain 0  b""        "in a table, a name ends with its cell";
    HardTag           "raw.tag"                  Anywhere Certain 0  b""        "an end tag, a comment or an instruction ends a name, `10.5555/a</b>`";
    OptionalBreak     "raw.optional-break"       Anywhere Certain 0  b""        "`<wbr>`, `\\allowbreak` and similar markup only allow a line break, so they are removed";
    BreakAfterPrefix  "joint.after-prefix"       Labelled Guess   0  b""        "white space after the slash of a prefix, `doi: 10.5555/ a1`, is a line break inside the name";
    BreakAfterMark    "joint.after-mark"         Labelled Guess   0  b""        "white space between a slash, hyphen or colon and a word with a digit is a line break inside the name";
    BreakAfterJournal "joint.after-journal"      Labelled Guess   0  b""        "white space after `j.`, with which the names of one publisher start, is a line break inside the name";
    BreakAfterStop    "joint.after-stop"         Labelled Guess   0  b""        "white space after the full stop of a name that has no digit yet is a line break inside the name, and so is white space between such a name and five digits";
    BreakInParentheses "joint.in-parentheses"    Labelled Guess   0  b""        "in the parentheses around a label and its name, white space is a line break inside the name";
    BreakInPath       "joint.in-path"            Path     Guess   0  b""        "white space between a prefix in the path of a URL and a word with a long number is a line break inside the name";
    SpacedBreak       "joint.spaced"             Labelled Guess   0  b""        "blanks after the marks of a proxy or prefix, or after each fifth letter, are an extractor's; those of the same kind in the suffix are removed";
    BreakBeforeNumber "joint.before-number"      Anywhere Guess   0  b""        "white space between a full stop of a name that has no digit yet and letters, a full stop and digits is a line break inside the name";
    BreakInShape      "joint.in-shape"           Anywhere Guess   0  b""        "white space before the part that a name of its shape ends in, such as a chapter after an ISBN and `_`, is a line break inside the name";
    BreakAfterSoftHyphen "joint.after-soft-hyphen" Anywhere Guess 0  b""        "white space after a soft hyphen is a line break inside the name";
    BreakInEscape     "joint.in-escape"          Anywhere Guess   0  b""        "a line end inside an escape, `a%` and `3A1`, is a line break inside the name";
    SiciBlank         "joint.in-sici"            Anywhere Guess   0  b""        "white space before the middle part of a SICI, or in it, is a line break inside the name";
    LineEnd           "joint.line-end"           Printed  Guess   0  b""        "where the text is broken into lines, a full line that ends with a mark such as `.` or `-` may break a name, which goes on in the next line";
    EscapedBreak      "escape.break"             Labelled Certain 0  b""        "white space that broke a name is removed from it";
    Backslash         "escape.backslash"         Anywhere Certain 0  b"\\"      "JSON, LaTeX and Markdown write a backslash before some characters, `a\\_b`";
    Entity            "escape.entity"            Anywhere Certain 0  b"&"       "HTML and XML write some characters as entities, `a&lt;b`";
    Latex             "escape.latex"             Anywhere Certain 0  b"{$"      "LaTeX puts braces around a character, and dollar signs around mathematics, `a{_}b`";
    Wiki              "escape.wiki"              Anywhere Certain 0  b"{"       "wikis write some characters as templates, `a{{lt}}b`";
    Percent           "escape.percent"           Anywhere Certain 0  b"%"       "a URL writes some characters with a percent sign, `a%3Cb`";
    DoubledMark       "escape.badge"             Url      Certain 0  b""        "the address of a badge has each hyphen and underscore of a name twice";
    UrlDefense        "escape.url-defense"       Url      Certain 0  b"*"       "a mail filter writes `_` for the slashes of a URL, and `-2D` for its hyphens; another writes `*` for characters that it lists";
    Invisible         "escape.invisible"         Anywhere Certain 0  b""        "soft hyphens, zero-width spaces and other characters that cannot be seen are removed";
    WebScheme         "suffix.web-scheme"        Anywhere Guess   0  b"hH"      "`http:/` after a name without a blank is the start of a URL";
    GluedWord         "suffix.glued-word"        Anywhere Guess   0  b".,["     "a word that follows names in printed references, such as `PMID`, ends the name if a mark without a blank comes before it";
    FieldMark         "suffix.field-mark"        Enclosed Certain 0  b",;$'"    "the mark between fields ends a name that fills a field";
    Subfield          "suffix.subfield"          Anywhere Certain 0  b""        "`ƒ` or a similar sign, with a code after it, starts the next subfield of a library record, `10.5555/a1ƒx`";
    RoundBracket      "suffix.round-bracket"     Prose    Certain 0  b"()"      "`)` ends a name if the name holds no `(` for it";
    SquareBracket     "suffix.square-bracket"    Prose    Certain 0  b"[]"      "`[` ends a name if the text after its `]` does not belong to a name, `10.5555/a[1]`";
    EncodedBracket    "suffix.encoded-bracket"   Enclosed Certain 0  b"["       "a bracket that an enclosed URL encodes belongs to the name";
    Angle             "suffix.angle"             Anywhere Certain 0  b"<"       "`<` starts a tag and ends a name";
    SiciAngle         "suffix.sici-angle"        Anywhere Certain 0  b"<"       "angle brackets before `3.0.CO;` are the middle part of a SICI and belong to the name";
    SiciTail          "suffix.sici-tail"         Anywhere Certain 0  b";"       "`;2-` and the character after it are the end of a SICI and belong to the name";
    SiciHash          "suffix.sici-hash"         Anywhere Certain 0  b"#"       "`#` after the `;2-` of a SICI is the last character of the name";
    EncodedAngle      "suffix.encoded-angle"     Anywhere Certain 0  b"<"       "angle brackets that a URL encodes belong to the name (H4)";
    Comma             "suffix.comma"             Prose    Certain 0  b","       "a comma ends a name, unless it is between two digits";
    NoValue           "suffix.no-value"          Anywhere Certain 0  b",;"      "a word for a missing value, or a short DOI, after `,` or `;` is not part of the name before it, `10.5555/a1;NA`";
    Apostrophe        "suffix.apostrophe"        Prose    Certain 0  b"'"       "an apostrophe ends a name, unless it is between letters or digits and no ending of a word follows, `10.5555/a1'den`";
    Semicolon         "suffix.semicolon"         Anywhere Certain 0  b";"       "a semicolon ends a name if no part of a name follows it";
    Ampersand         "suffix.ampersand"         Anywhere Certain 0  b"&"       "`&` in a URL starts the next parameter; elsewhere it ends a name if no part of a name follows it";
    Parameter         "suffix.parameter"         Anywhere Certain 0  b";&"      "`name=` or `name:` after a semicolon or ampersand is not part of a name";
    Quote             "suffix.quote"             Anywhere Certain 0  b"\""      "a double quote ends a name, unless it is escaped inside a word";
    Query             "suffix.query"             Anywhere Certain 0  b"?"       "`?` starts the query of a URL and ends a name, unless it is encoded (U3)";
    Fragment          "suffix.fragment"          Anywhere Certain 1  b"#"       "`#` starts the fragment of a URL and ends a name, unless it is encoded (U3)";
    Brace             "suffix.brace"             Prose    Certain 0  b"{%"      "a brace is markup and ends a name, and so does `%}`";
    Mark              "suffix.mark"              Anywhere Certain 0  b">}\\|`"  "a blank, a control character, `>`, `}` and a backslash end a name";
    NotGraphic        "suffix.not-graphic"       Anywhere Certain 0  b""        "blanks and control characters beyond ASCII, such as the no-break space, end a name (N3)";
    OtherEncoding     "suffix.other-encoding"    Anywhere Guess   0  b""        "a byte that is not UTF-8 ends a name; before a letter or digit it may be a dash or letter of the name";
    ForeignMark       "suffix.foreign-mark"      Anywhere Certain 0  b""        "typographic quotes and brackets, and the punctuation of other scripts, end a name";
    OtherScript       "suffix.other-script"      Prose    Guess   0  b""        "letters of another script and symbols end a name in Latin letters, `10.5555/a1에서`";
    Dash              "suffix.dash"              Anywhere Guess   0  b""        "a typeset dash in a name is kept; it may stand for a hyphen (U5)";
    EncodedSegment    "suffix.encoded-segment"   Path     Certain 0  b""        "if a URL encodes the slash of the prefix, a plain slash after it belongs to the URL";
    BadgeMessage      "suffix.badge-message"     Url      Certain 0  b""        "in the address of a badge, the last single hyphen starts the colour";
    FinalSlash        "tail.slash"               Anywhere Guess   0  b""        "a final slash is valid but unlikely, and is cut (P3)";
    FinalStopAlone    "tail.stop-alone"          Enclosed Guess   0  b""        "the final full stop of a name that is alone in quotes, a field or a line is cut";
    FinalMark         "tail.mark"                Anywhere Certain 1  b""        "punctuation at the end of a name is that of the sentence";
    FinalEmphasis     "tail.emphasis"            Prose    Certain 7  b""        "`*`, `_`, `~`, `$` and `=` at the end of a name are emphasis or belong to a formula; `+` is emphasis after a name that starts with it";
    FinalBracket      "tail.bracket"             Anywhere Certain 0  b""        "a bracket at the end of a name is cut if the name does not hold its partner";
    LostCharacter     "tail.lost-character"      Anywhere Certain 0  b""        "the sign that replaces a lost character is cut from the end of a name";
    FieldPage         "tail.field-page"          Enclosed Guess   0  b""        "in a field, the name of a page of a publisher's site, such as `/full`, is cut from the end of a name";
    TitleSlug         "tail.title-slug"          Path     Certain 0  b""        "in a URL, a number and the words of a title, `/594540/Ice-sheets`, are not part of the name before them";
    PageWord          "tail.page-word"           Path     Certain 0  b""        "in a URL, a part such as `/abstract` or `/pdf` is a page of the publisher's site, and all after it too";
    PageSegment       "tail.page"                Path     Certain 8  b""        "in a URL, a last part that is a plain word is a page of the publisher's site if a digit comes before it";
    File              "tail.file"                Path     Certain 0  b""        "in a URL, the ending of a file such as `.html` is cut";
    PathFile          "tail.path-file"           Path     Certain 7  b""        "in a URL, the ending of a file is cut even if a few registered names end so, such as `.pdf`";
    ArticleView       "tail.article-view"        Path     Certain 1  b""        "a view of an article on one publisher's sites, `.full.pdf` or `.figures-only`, is cut after a name with a digit";
    ArxivVersion      "tail.arxiv-version"       Anywhere Certain 0  b""        "the version of a paper of arXiv is not registered, `10.48550/arXiv.2602.12172v1`";
    Version           "tail.version"             Path     Certain 0  b""        "in a URL, the version that a preprint server adds to a number is cut, `436749v2`";
    ArticleId         "tail.article-id"          Path     Certain 0  b""        "one publisher's site adds a number to its names, `10.1093/jme/tjz032/5423051`";
    GluedTitle        "tail.glued-title"         Anywhere Guess   0  b""        "the first word of a title that follows a name without a blank is cut, `10.5555/a1Radiative Association`";
    Ellipsis          "end.ellipsis"             Anywhere Certain 0  b""        "a name that an ellipsis cuts short is refused";
    Template          "end.template"             Anywhere Certain 0  b""        "source code that puts a value into a name, `10.5555/a.{id}`, or a pattern, `10.5555/*`, names nothing";
    CutShort          "dirt.cut-short"           Dirt     Certain 0  b""        "a text that ends with an ellipsis is cut short, and names nothing";
    Network           "dirt.network"             Dirt     Certain 0  b""        "four numbers and a size, `10.0.0.0/8`, are the address of a network";
    QuotedPrintable   "dirt.quoted-printable"    Dirt     Certain 0  b""        "e-mail writes some characters with an equals sign, `a=3Cb`";
    Ligature          "dirt.ligature"            Dirt     Certain 0  b""        "letters that a typesetter joined, such as `ﬁ`, are separated";
    Mojibake          "dirt.mojibake"            Dirt     Certain 0  b""        "a character of UTF-8 that was read as several of Latin-1 is restored";
    Placeholder       "dirt.placeholder"         Dirt     Certain 0  b""        "`xxxx` or `nnnnn` in a name holds the place of a name that was not known yet";
    LookAlike         "dirt.look-alike"          Dirt     Certain 0  b""        "full-width characters, and the slashes of mathematics, become those of ASCII";
    FontMark          "dirt.font-mark"           Dirt     Certain 0  b""        "`¡`, `¿` and `˙` are what a font of LaTeX shows for `<`, `>` and `_`";
    LostJoints        "dirt.lost-joints"         Dirt     Certain 0  b""        "a name with blanks instead of its full stops and hyphens, `coli a 00346`, or with the number of a printed line inside, cannot be restored, and is refused";
    BrokenLine        "dirt.broken-line"         Dirt     Certain 0  b""        "a line end before a word that may be the rest of the name, as in `10.5555/C` and `4` on the next line, leaves open where the name ends, and is refused";
    TypesetDash       "dirt.dash"                Dirt     Certain 0  b""        "a typeset dash becomes a hyphen";
    Lead              "dirt.lead"                Dirt     Certain 0  b""        "text before a name is cut";
    DirtPrefix        "dirt.prefix"              Dirt     Certain 0  b""        "blanks and a full stop that were typed into a prefix, `10. 5555./a`, are removed";
    DirtQuery         "dirt.query"               Dirt     Certain 1  b""        "`?` and `#` start text that a URL adds, which is cut with them";
    Emphasis          "dirt.emphasis"            Dirt     Certain 0  b""        "marks of emphasis that open before a name close after it, and are cut";
    DoubledEnd        "dirt.doubled-end"         Dirt     Certain 0  b""        "if the end of a name is written twice, `x.a007732a007732`, the second is cut";
    GluedText         "dirt.glued"               Dirt     Certain 12 b""        "letters after a digit, or three after a bracket, that hardly any registered name has there are cut";
    Remark            "dirt.remark"              Dirt     Certain 0  b""        "a word that follows names in reference lists, such as `Accessed`, is cut with all after it";
    Host              "dirt.host"                Dirt     Certain 0  b""        "the name of a web site after a name, `.jid.sagepub.com`, is cut";
    UnclosedBracket   "dirt.unclosed-bracket"    Dirt     Certain 0  b""        "a bracket that is never closed starts a remark, which is cut";
    TitlePage         "dirt.title-page"          Dirt     Certain 0  b""        "a word from the title page of an article is cut after a digit and a full stop";
    PlaceInPrint      "dirt.place-in-print"      Dirt     Certain 0  b""        "volume, pages and year, `,85,1494(2006)`, are cut";
    BracketedYear     "dirt.bracketed-year"      Dirt     Certain 1  b""        "a year in brackets, `(2006)`, is cut";
    Tag               "dirt.tag"                 Dirt     Certain 0  b""        "tags of HTML or XML are removed";
    Note              "dirt.note"                Dirt     Certain 0  b""        "a note in a tag, such as `<sup>1</sup>`, is removed with its text";
    DirtBreak         "dirt.break"               Dirt     Certain 0  b""        "white space beside a mark, or before digits, was a line break, and is removed, and so is white space other than a blank around a name";
    SiciEntity        "dirt.sici-entity"         Dirt     Certain 0  b""        "in a SICI, `lt;` and `gt;` are angle brackets";
    DoubledJoint      "dirt.doubled-joint"       Dirt     Certain 0  b""        "a mark that is doubled where no registered name has it twice is written once";
    ArxivName         "dirt.arxiv-name"          Dirt     Certain 0  b""        "another mark than a full stop between `arXiv` and the identifier of a paper, `10.48550/arXiv:2602.12172`, is a slip, and so is a subject class";
    AnotherName       "dirt.another-name"        Dirt     Certain 0  b""        "where another name starts, or the same once more, the first one ends";
    Reread            "dirt.reread"              Dirt     Certain 0  b""        "a prefix in which digits were read as letters, `1O.5555/a`, is restored";
    UnderscoredPrefix "dirt.underscored-prefix"  Dirt     Certain 0  b""        "in the name of a file, `_` stands for the slash of a name";
}

impl Rule {
    const fn row(self) -> &'static RuleRow {
        &Rule::ROWS[self as usize]
    }

    /// Returns the rule with this id.
    pub fn of_id(id: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.id() == id)
    }

    /// Returns the rule's id, as reports and tests show it.
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// Returns where the rule applies.
    pub const fn scope(self) -> RuleScope {
        self.row().scope
    }

    /// Whether an end that the rule makes is [`guessed`](crate::Mention::guessed): only a registry could say whether the name
    /// ends there.
    pub const fn is_guess(self) -> bool {
        self.row().is_guess
    }

    /// Returns how many of 385,484 registered names the rule damages, each written once where the rule applies.
    pub const fn damages(self) -> u32 {
        self.row().damages
    }

    /// Whether the rule looks at a suffix or an escape at each `byte`.
    pub(super) const fn looks_at(self, byte: u8) -> bool {
        contains(self.row().triggers, byte)
    }

    /// Whether a rule whose id starts with `module` looks at `byte`.
    pub(super) const fn any_looks_at(module: &str, byte: u8) -> bool {
        let mut at = 0;
        while at < Rule::ALL.len() {
            let rule = Rule::ALL[at];
            if starts_with(rule.id(), module) && rule.looks_at(byte) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Describes what the rule catches.
    pub const fn catches(self) -> &'static str {
        self.row().catches
    }
}

const fn contains(bytes: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

const fn starts_with(text: &str, start: &str) -> bool {
    let (text, start) = (text.as_bytes(), start.as_bytes());
    let mut at = 0;
    while at < start.len() {
        if at >= text.len() || text[at] != start[at] {
            return false;
        }
        at += 1;
    }
    true
}

impl Rule {
    /// Whether the rule is in force. It always is, unless a test or `scripts/bench ablate` switched it off.
    pub(crate) fn holds(self) -> bool {
        self.is_in_force(None)
    }

    /// Whether the rule is in force for one item of its list.
    pub(crate) fn holds_for(self, item: &str) -> bool {
        self.is_in_force(Some(item))
    }

    /// Whether every rule is in force.
    pub(crate) fn all_hold() -> bool {
        #[cfg(any(test, feature = "ablation"))]
        return !switch::is_any_off();
        #[cfg(not(any(test, feature = "ablation")))]
        true
    }

    #[cfg_attr(not(any(test, feature = "ablation")), allow(unused_variables))]
    fn is_in_force(self, item: Option<&str>) -> bool {
        #[cfg(any(test, feature = "ablation"))]
        return !switch::is_off(self, item);
        #[cfg(not(any(test, feature = "ablation")))]
        true
    }
}

/// Switches a rule off, or one item of its list, for this thread or by the environment.
#[cfg(any(test, feature = "ablation"))]
mod switch {
    use std::cell::RefCell;

    use super::Rule;

    /// A rule, and an item of its list; `None` for all items.
    type Off = Option<(Rule, Option<String>)>;

    thread_local! {
        static OFF: RefCell<Off> = RefCell::new(named(&std::env::var("DOISIFT_WITHOUT").unwrap_or_default()));
    }

    /// Returns the rule or item that `id` or `id=item` names; `None` if no rule has the id.
    fn named(text: &str) -> Off {
        let (id, item) = match text.split_once('=') {
            Some((id, item)) => (id, Some(item.to_owned())),
            None => (text, None),
        };
        Some((Rule::of_id(id)?, item))
    }

    pub(super) fn is_off(rule: Rule, item: Option<&str>) -> bool {
        OFF.with_borrow(|off| {
            off.as_ref().is_some_and(|(other, wanted)| {
                *other == rule && wanted.as_deref().is_none_or(|wanted| Some(wanted) == item)
            })
        })
    }

    pub(super) fn is_any_off() -> bool {
        OFF.with_borrow(Option::is_some)
    }

    /// Returns the result of `run` without the rule that `text` names.
    #[cfg(test)]
    pub(in crate::scan::rules) fn without<T>(text: &str, run: impl FnOnce() -> T) -> T {
        let before = OFF.replace(named(text));
        let result = run();
        OFF.replace(before);
        result
    }
}

#[cfg(test)]
pub(super) use switch::without;
