"""Running text: printed lines, PDF, mail, LaTeX, and names among words of other scripts."""
import email.policy, io, textwrap
from email.message import EmailMessage
from xml.sax.saxutils import escape

from accuracy.rows import Class, Document, names_of, running
from accuracy.values import RUNNING, Value

#: In print and mail, lists are of one line.
PRINTED = [kind for kind in RUNNING if kind != "look-alike"]


def is_latin(text):
    return all(ord(c) < 256 for c in text) and "\n" not in text


def wrapped(draw, values):
    """Lines of print. textwrap breaks after hyphens too: a name that goes on after one cannot end in it."""
    width, indent = draw.choice([60, 72, 79]), draw.choice(["", "    ", "> "])
    return "\n\n".join(textwrap.fill(f"[{at}] {value.text}", width, subsequent_indent=indent, break_long_words=False) for at, value in enumerate(values, 1)) + "\n"


def with_fpdf(draw, values):
    """A line too long is broken at a blank or, within a word, at the margin."""
    import datetime, fpdf

    pdf = fpdf.FPDF()
    pdf.set_creation_date(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc))
    pdf.add_page()
    pdf.set_font("Helvetica", size=draw.choice([9, 11]))
    width = draw.choice([0, 0, 85])
    for at, value in enumerate(values, 1):
        pdf.multi_cell(width, 5, f"[{at}] {value.text}", align=draw.choice("LJ"), new_x="LMARGIN", new_y="NEXT")
        pdf.ln(3)
    return bytes(pdf.output())


def with_reportlab(draw, values):
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    out, style = io.BytesIO(), getSampleStyleSheet()["BodyText"]
    SimpleDocTemplate(out, invariant=1).build([Paragraph(f"{at}. {escape(value.text)}", style) for at, value in enumerate(values, 1)])
    return out.getvalue()


def mail(coding):
    """A mail program's text. Its coding is part of the format, so a reader of mail undoes it; a tool for plain text does not claim to."""

    def write(draw, values):
        message = EmailMessage(policy=email.policy.SMTP)
        message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", draw.words()
        message["Date"] = "Mon, 01 Jan 2024 00:00:00 +0000"
        text = "\n\n".join(f"{draw.words()}\n{value.text}" for value in values) + "\n"
        message.set_content(text, cte=coding)
        return message.as_bytes().decode()

    return write


def latex(draw, values):
    from pylatexenc.latexencode import unicode_to_latex

    return "\n\n".join(f"\\bibitem{{key{at}}} {unicode_to_latex(value.text, unknown_char_warning=False)}" for at, value in enumerate(values)) + "\n"


#: Sentences around a name, with no blank where the script has none.
SCRIPTS = {
    "Chinese": ["请参阅{}。", "（DOI：{}）", "见{}，以及其他文献。", "数据来自{}、已发表。", "论文《{}》中", "链接：https://doi.org/{}。"],
    "Japanese": ["文献は{}を参照。", "「{}」による", "DOI:{}（2020年）", "https://doi.org/{}で公開されている。"],
    "Korean": ["논문 {}에서 확인", "DOI {}은 다음과 같다", "({})를 참조", "https://doi.org/{}에"],
    "Arabic": ["انظر {}، ثم", "المرجع: {}؛ وغيره", "هل هو {}؟", "(doi:{})"],
    "Cyrillic": ["см. {}, а также", "DOI: {}. Дата обращения: 01.02.2020", "«{}»", "в статье {}»", "URL: https://doi.org/{} (дата обращения: 1.10.2021)"],
    "Greek": ["βλ. {}· και", "το άρθρο {}; και", "«{}»"],
    "Hindi": ["देखें {}। आगे", "({}) में"],
    "Hebrew": ["ראו {}, וכן", "במאמר {}״", "(doi:{})"],
    "Thai": ["ดูที่ {} และ", "จาก{}ที่"],
}


def scripts(draw, count):
    """Names of ASCII with a plain end: a letter or mark of another script directly after it is no part of it."""
    documents = []
    for _ in range(count):
        script = draw.choice(list(SCRIPTS))
        values = []
        for _ in range(3 + draw.below(4)):
            name = next(name for name in iter(draw.plain, None) if name.isascii() and "?" not in name and "%" not in name)
            values.append(Value(draw.choice(SCRIPTS[script]).format(name), (name,), script))
        documents.append(Document("\n".join(value.text for value in values) + "\n", names_of(values)))
    return documents


CLASSES = [
    Class("lines of print", "textwrap: lines broken at blanks and after hyphens", "txt", running(wrapped, PRINTED, lambda text: "\n" not in text)),
    Class("PDF of fpdf2", "a tool for text gets the output of pdftotext", "pdf", running(with_fpdf, PRINTED, is_latin), "pdftotext"),
    Class("PDF of ReportLab", "a tool for text gets the output of pdftotext", "pdf", running(with_reportlab, PRINTED, is_latin), "pdftotext"),
    Class("mail, quoted-printable", "email: lines are cut anywhere, and bytes escaped", "eml", running(mail("quoted-printable"), RUNNING)),
    Class("mail, base64", "email", "eml", running(mail("base64"), RUNNING)),
    Class("LaTeX", "pylatexenc: every mark of LaTeX is escaped, and other letters are commands", "tex", running(latex, RUNNING)),
    Class("other scripts", "sentences of nine languages", "txt", scripts),
]
