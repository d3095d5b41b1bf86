#!/usr/bin/env python3
"""Verifies datasets with Python and pyarrow alone: shares no code with the service. Prints what differs.

    python3 scripts/verify.py DIRECTORY...    a directory has receipt.json, original and data/, as in the data directory

Hashes the files, cuts the rejected byte ranges out of the original, reads the records with the csv module and the
receipt's dialect and encoding, and compares every value. Needs Python 3.11; 3.12 also tells an empty field from "". Exit code 1 if
anything differs. Files that Python reads in another way (by the receipt's notes) are named; their values are not compared.
"""
import csv, datetime as dt, hashlib, json, re, sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq

csv.field_size_limit(2**31 - 1)
UTC, BLURS = dt.timezone.utc, sys.version_info < (3, 12)
# Notes of files that Python reads in another way: by their quotes, or not at all.
OTHERS = {'COMPRESSED_DATA_CUT_OFF', 'QUOTE_REPAIRED', 'QUOTES_NOT_ESCAPED', 'ESCAPE_MIXED', 'LINES_QUOTED', 'QUOTE_RUNAWAY'}
def sha256(data): return hashlib.sha256(data).hexdigest()
def text_of(data, encoding):
    if encoding == 'windows-1252' or encoding == 'iso-8859-1':  # WHATWG: bytes without a character are controls
        return ''.join(CP1252[b] for b in data)
    return data.decode({'utf-8': 'utf-8', 'utf-16le': 'utf-16-le', 'utf-16be': 'utf-16-be', 'shift_jis': 'cp932',
        'euc-kr': 'cp949', 'gbk': 'gb18030', 'big5': 'big5hkscs', 'macintosh': 'mac_roman', 'x-mac-cyrillic': 'mac_cyrillic',
        'windows-874': 'cp874', 'ibm737': 'cp737', 'utf-32le': 'utf-32-le', 'utf-32be': 'utf-32-be'}.get(encoding, encoding), 'surrogatepass')
CP1252 = [bytes([b]).decode('cp1252') if b not in (0x81, 0x8d, 0x8f, 0x90, 0x9d) else chr(b) for b in range(256)]
def table(directory, parts):
    return pa.concat_tables([pq.read_table(directory / p['file']) for p in parts]) if parts else None
class Lines:
    """Lines for csv.reader. Where a record begins, comments are left out."""
    def __init__(self, text, isComment):
        self.lines, self.isComment, self.begins = iter(re.findall(r'[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$', text)), isComment, True
    def __iter__(self): return self
    def __next__(self):
        line = next(self.lines)
        while self.begins and self.isComment(line): line = next(self.lines)
        self.begins = False
        return line
def declared(text, d, isComment):
    """Records in a dialect that the csv module does not know: docs/reading.md, declared without exception."""
    parts, quote, comma = d.get('declared', ()), d['quoteChar'], d['delimiter'][0]
    escape = d['escapeChar'] if 'escapeChar' in parts else None
    end = '\r' if d['lineTerminator'] == '\r' else r'\r\n|\n\Z' if 'lineTerminator' in parts else r'\r?\n'
    pair, C, Q = '' if d['lineTerminator'] == '\r' else r'\r\n|', re.escape(comma), quote and re.escape(quote)
    E, kept = escape and re.escape(escape), ''.join({comma, quote or comma, escape or comma, '\r', '\n'})
    escaped = rf'{E}(?!(?:{end})?\Z)(?:{pair}.)|' if escape else ''
    doubled = f'{Q}{Q}|' if quote and (not escape or d['doubleQuote']) else ''
    blanks = ('[ \t]*' if comma != '\t' else ' *') if d['skipInitialSpace'] or len(d['delimiter']) > 1 else ''
    after = '[' + ' \t'.replace(comma, '') + ']*'
    field = re.compile(blanks + (f'(?:{Q}((?:{escaped}{doubled}[^{Q}])*+){Q}{after}(?={C}|{end}|\\Z)|' if quote else '(?:()(?!)|') + f'((?:{escaped}(?!{C}|{end}).)*+))', re.S)
    line, stop = re.compile(f'(?:{escaped}(?!{end}).)*+(?:{end})?', re.S), re.compile(end)
    plain = re.compile(rf'{E}({pair}[{re.escape(kept)}])') if escape else re.compile('(?!)')
    within = re.compile('|'.join(filter(None, [escape and plain.pattern, doubled and f'{Q}({Q})'])) or '(?!)')
    at = 0
    while at < len(text):
        if isComment(text[at:line.match(text, at).end()]):
            at = line.match(text, at).end()
            continue
        row, begins = [], at - 1
        while begins < at:
            found = field.match(text, at)
            value, replaced = (found[2], plain) if found[1] is None else (found[1], within)
            row.append(replaced.sub(lambda m: m[m.lastindex], value) if value or found[1] is not None else None)
            at = begins = found.end()
            if text[at:at + 1] == comma: at += 1
        at = (stop.match(text, at) or found).end()
        yield row
def records(directory, receipt):
    """The accepted records, as lists of texts; None for an empty field if Python can tell it from ''."""
    packed, data = receipt['file'].get('compression'), (directory / 'original').read_bytes()
    assert sha256(data) == receipt['file']['sha256'], 'SHA-256 of the original'
    if packed:
        data = pa.input_stream(pa.BufferReader(data), compression=packed['format']).read()
        assert sha256(data) == packed['sha256'], 'SHA-256 of the decompressed original'
    body, d, encoding = receipt['body'], receipt['dialect'], receipt['encoding']['name']
    cuts = [(r['byteOffset'], r['byteLength'], '') for r in (table(directory, receipt['rejects']['parts']) or pa.table({})).to_pylist()]
    if receipt.get('corrections'):
        lines = (directory / 'corrections').read_bytes().decode().split('\n')[:-1] if (directory / 'corrections').exists() else []
        cuts += [(c['byteOffset'], c['byteLength'], c['text']) for c in map(json.loads, lines)]
    if body.get('gap'): cuts.append((body['gap']['byteOffset'], body['gap']['byteLength'], ''))
    at, text = body['byteOffset'], ''
    for offset, length, instead in sorted(cuts):
        text, at = text + text_of(data[at:offset], encoding) + instead, offset + length
    text += text_of(data[at:], encoding)
    if d['lineTerminator'] in ('\r\r\n', '\n\r'): text = text.replace(d['lineTerminator'], '\r\n')
    # A character that the file does not have, for one that ends no record of it, but would for the csv module.
    inner, quote = next(c for c in map(chr, range(0xe000, 0xf900)) if c not in text), d['quoteChar']
    if d.get('escapeChar') and quote and 'escapeChar' not in d.get('declared', ()): text = text.replace(d['escapeChar'] + quote, quote * 2)
    form = {'delimiter': d['delimiter'][0], 'quotechar': quote, 'doublequote': True, 'strict': False,
        'quoting': csv.QUOTE_NONE if quote is None else getattr(csv, 'QUOTE_NOTNULL', csv.QUOTE_MINIMAL),
        'skipinitialspace': d['skipInitialSpace'] or len(d['delimiter']) > 1}
    width, rows = len(receipt['columns']), []
    isRecord = lambda line: body.get('keepsWideComments') and width > 1 and len(next(csv.reader([line], **form))) == width
    isComment = lambda line: d['commentChar'] and line.startswith(d['commentChar']) and not isRecord(line)
    isPlain = not d.get('declared') and not form['skipinitialspace']
    if isPlain: text = text.replace('\n', inner) if d['lineTerminator'] == '\r' else re.sub('\r(?!\n)', inner, text)
    lines = Lines(text, isComment)
    for row in csv.reader(lines, **form) if isPlain else declared(text, d, isComment):
        lines.begins = True
        isBlank = all(one is None or not one.strip() and (one != '' or BLURS and isPlain) for one in row)
        if row in ([], [None]) or (len(row) != width and isBlank): continue
        if not any(row[width:]): row = row[:width]  # surplus fields without a byte
        if isPlain: row = [one and one.replace(inner, '\n' if d['lineTerminator'] == '\r' else '\r') for one in row]
        rows.append(row + [None] * (width - len(row)) if d.get('padShortRecords') else row)
    while len(rows) > receipt['records']['accepted'] and not any(rows[-1]): rows.pop()
    return rows
def number(text, group, point):
    for one in group or '': text = text.replace(one, '')
    return Decimal(text.replace(point, '.') if point != '.' else text)
def instant(text):
    return dt.datetime.fromisoformat(re.sub(r'([-+]\d\d):?(\d\d)?$', lambda m: m[1] + ':' + (m[2] or '00'), text.replace('Z', '+00:00')) if re.search(r':\d\d', text) and re.search(r'(Z|[-+]\d\d:?(\d\d)?)$', text[11:]) else text)
def moment(text, pattern, kind):
    if pattern is None: value = dt.date.fromisoformat(text) if kind == 'date' else dt.time.fromisoformat(text) if kind == 'time' else instant(micro(text))
    else: value = dt.datetime.strptime(text.replace('Z', '+0000') if pattern.endswith('%z') else text, pattern)
    if kind == 'date' and isinstance(value, dt.datetime): return value.date()
    if kind == 'time' and isinstance(value, dt.datetime): return value.time()
    return value.replace(tzinfo=value.tzinfo or UTC) if kind in ('timestamp', 'timestamptz') else value
def micro(text): return re.sub(r'\.(\d{1,6})', lambda m: '.' + m[1].ljust(6, '0'), text)
def reader(column, field, missing):
    """A function from text to value; raises ValueError for a text that has none."""
    kind, shown = column['type'].split('(')[0], column.get('format')
    nulls = set(column.get('nullWords', ())) if field is None else set(field.get('missingValues', missing))
    point, group, pattern = '.', '', None
    if field is not None: point, group, pattern = field.get('decimalChar', '.'), field.get('groupChar', ''), field.get('format')
    elif shown and 'Y' in shown: pattern = shown.replace('YYYY', '%Y').replace('MM', '%m').replace('DD', '%d').replace('hh:mm:ss', '%H:%M:%S')
    elif shown: group, point = re.match(r'1(\D?)234(\D?)', shown).groups(); point = point or '.'
    def read(text):
        # Blanks around a value do not count, but in texts and in words for a missing value.
        if kind != 'text' and text is not None and text not in nulls: text = text.strip(' ')
        if text in nulls or (not text and (field is None or '' in nulls) and (text is None or (BLURS and kind != 'text'))): return None
        if text is None: text = ''
        if kind == 'text': return text
        if kind in ('integer', 'decimal'): return number(text, group, point)
        if kind == 'number': return float(number(text, group, point))
        if kind == 'boolean':
            yes = (field or {}).get('trueValues', ['true', 'True', 'TRUE'] + (['1'] if field else []))
            no = (field or {}).get('falseValues', ['false', 'False', 'FALSE'] + (['0'] if field else []))
            if text in yes or text in no: return text in yes
            raise ValueError(text)
        if kind == 'time': text = micro(text)
        if pattern and '%H' in pattern and field is None and text.count(':') < 2: return moment(text, pattern.replace(':%S', ''), kind)
        return moment(text, pattern + '.%f' if pattern and '.%f' not in pattern and field is None and re.search(r':\d\d\.\d', text) else pattern, kind)
    return read
def same(value, wanted, isText):
    if isText and BLURS and value in ('', None) and wanted in ('', None): return True  # "" and an empty field
    if isinstance(value, dt.datetime) and value.tzinfo is None: value = value.replace(tzinfo=UTC)
    return value == wanted
def differences(directory):
    receipt = json.loads((directory / 'receipt.json').read_text())
    for part in receipt['parts'] + receipt['rejects'].get('parts', []):
        if sha256((directory / part['file']).read_bytes()) != part['sha256']: yield f"{part['file']}: SHA-256 differs"
    others = [note['code'] for note in receipt['notes'] if note['code'] in OTHERS]
    if others: return print(f'{directory}: values are not compared ({", ".join(others)})')
    rows, schema, columns = records(directory, receipt), receipt.get('schema'), receipt['columns']
    wide = [n for n, row in enumerate(rows, 1) if len(row) != len(columns)]
    if wide or len(rows) != receipt['records']['accepted']:
        return (yield f"{len(rows)} records, {receipt['records']['accepted']} in the receipt; other widths: {wide[:3]}")
    data, heads = table(directory, receipt['parts']), receipt['body'].get('headerFields') or []
    for i, column in enumerate(columns):
        names, field = {column['name'], *heads[i:i + 1]}, None
        if schema: field = schema['fields'][i] if schema.get('fieldsMatch', 'exact') == 'exact' else next((f for f in schema['fields'] if f['name'] in names), None)
        read, cache = reader(column, field, (schema or {}).get('missingValues', [''])), {}
        for n, value in enumerate(data.column(i).to_pylist()):
            text = rows[n][i]
            try:
                if text not in cache: cache[text] = read(text)
                if not same(value, cache[text], column['type'] == 'text' or not text): yield f"record {n + 1}, {column['name']}: {value!r} for {text!r}"
            except (ValueError, InvalidOperation) as error: yield f"record {n + 1}, {column['name']}: {value!r} for {text!r} ({error})"
failed = 0
for name in sys.argv[1:]:
    found = []
    try:
        for one in differences(Path(name)):
            found.append(one)
            if len(found) == 3: break
    except Exception as error: found.append(f'{type(error).__name__}: {error}')
    for one in found: print(f'{name}: {one}')
    failed += bool(found)
print(f'{len(sys.argv) - 1} datasets, {failed} with differences')
sys.exit(failed > 0)
