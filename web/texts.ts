// Texts: every sentence of the page in each of its languages, and the language of this visit. Knows no view.

export type Language = 'en' | 'de'

const preferred = localStorage.getItem('language') ?? navigator.language.slice(0, 2)

/** The language of this visit. */
export const language: Language = preferred === 'de' ? 'de' : 'en'
document.documentElement.lang = language

/** A sentence in the language of this visit. */
export function text<Text>(english: Text, german: Text): Text {
  return language === 'de' ? german : english
}

/** One figure for each `{}` of a sentence. */
type Figures<Text extends string, Known extends readonly string[] = []> = Text extends `${string}{}${infer Rest}`
  ? Figures<Rest, [...Known, string]>
  : Known

/** A sentence with figures in place of each `{}`; `{row|rows}` is the first word after the figure `1`. */
function filled<English extends string, German extends string>(
  english: English,
  german: Figures<German> extends Figures<English> ? German : never,
): (...figures: Figures<English>) => string {
  return (...figures) => {
    let at = -1
    return text<string>(english, german).replaceAll(/\{(?:([^|}]*)\|([^}]*))?\}/g, (_, one, many) => {
      if (one === undefined) return figures[++at] ?? ''
      return figures[at] === '1' ? one : many
    })
  }
}

export const t = {
  title: 'CSV Upload',
  home: text('CSV Upload, all datasets', 'CSV Upload, alle Tabellen'),
  where: text('Where you are', 'Wo Sie sind'),
  service: text('Service', 'Dienst'),
  theme: {
    system: text('Theme: as the system. Press for light', 'Darstellung: wie das System. Drücken für hell'),
    light: text('Theme: light. Press for dark', 'Darstellung: hell. Drücken für dunkel'),
    dark: text('Theme: dark. Press for the system’s', 'Darstellung: dunkel. Drücken für die des Systems'),
  },
  otherLanguage: text('EN: language is English. Press for Deutsch', 'DE: Sprache ist Deutsch. Drücken für English'),
  uploadTitle: text('Upload CSV files', 'CSV-Dateien hochladen'),
  skip: text('Skip to content', 'Zum Inhalt'),
  datasets: text('Datasets', 'Tabellen'),
  docs: text('Docs', 'Doku'),
  drop: text(
    'Drop CSV files anywhere on this page, paste them, or',
    'CSV-Dateien irgendwo auf dieser Seite ablegen, einfügen oder',
  ),
  choose: text('Choose files', 'Dateien wählen'),
  dropNow: text('Drop to upload', 'Zum Hochladen loslassen'),
  uploads: 'Uploads',
  liveUploads: text('Arriving now', 'Kommt gerade an'),
  progress: text('Progress', 'Fortschritt'),
  /** Of an upload, at the service and on this page. */
  phases: {
    ready: text('Nothing has been sent yet.', 'Noch wurde nichts gesendet.'),
    waiting: text('waiting', 'wartet'),
    sending: text('sending', 'wird gesendet'),
    receiving: text('arriving', 'kommt an'),
    processing: text('reading and writing', 'wird gelesen und geschrieben'),
    reading: text('reading', 'wird gelesen'),
    writing: text('writing', 'wird geschrieben'),
    paused: text('paused', 'angehalten'),
    done: text('done', 'fertig'),
    failed: text('failed', 'fehlgeschlagen'),
    canceled: text('canceled', 'abgebrochen'),
    expired: text('canceled', 'abgebrochen'),
  },
  pause: text('Pause', 'Anhalten'),
  resume: text('Resume', 'Fortsetzen'),
  broken: text('interrupted; trying again', 'unterbrochen; neuer Versuch folgt'),
  chooseAgain: text(
    'Choose or drop the same file again, and it goes on where it was.',
    'Dieselbe Datei noch einmal wählen oder ablegen, dann geht es an derselben Stelle weiter.',
  ),
  otherTab: text('Another tab is sending this file.', 'Ein anderer Tab sendet diese Datei.'),
  /** What happens to an upload, in order. */
  steps: {
    sending: text('Sending', 'Senden'),
    reading: text('Reading', 'Lesen'),
    writing: text('Writing', 'Schreiben'),
  },
  cancel: text('Cancel', 'Abbrechen'),
  retry: text('Try again', 'Erneut versuchen'),
  remove: text('Remove', 'Entfernen'),
  delete: text('Delete', 'Löschen'),
  shortest: text('Shortest', 'Kürzester'),
  longest: text('Longest', 'Längster'),
  meanLength: text('Mean length', 'Mittlere Länge'),
  medianLength: text('Median length', 'Mediane Länge'),
  left: filled('{} left', 'noch {}'),
  alreadyStored: text('already stored', 'schon gespeichert'),
  rowsAndRejects: filled('{} {row|rows}, {} rejected', '{} {Zeile|Zeilen}, {} abgelehnt'),
  recordTotal: filled('{} {record|records}', '{} {Datensatz|Datensätze}'),
  headerTerm: filled('{} {header|headers}', '{} {Kopfzeile|Kopfzeilen}'),
  blankTerm: filled('{} blank', '{} leer'),
  skippedTerm: filled('{} skipped', '{} übersprungen'),
  rowTerm: filled('{} {row|rows}', '{} {Zeile|Zeilen}'),
  rejectedTerm: filled('{} rejected', '{} abgelehnt'),
  noRecords: text('This file has no records.', 'Diese Datei hat keine Datensätze.'),
  noRecordsBelow: text(
    'Below its header, this file has no records.',
    'Unter ihrer Kopfzeile hat diese Datei keine Datensätze.',
  ),
  noRecordsInHead: text(
    'No record ends within the first megabyte of this file.',
    'Im ersten Megabyte dieser Datei endet kein Datensatz.',
  ),
  emptyFile: text('This file is empty.', 'Diese Datei ist leer.'),
  unreadable: text(
    'This file was changed, moved or deleted after it was chosen, or may not be read. Choose it again.',
    'Diese Datei wurde nach der Auswahl geändert, verschoben oder gelöscht oder darf nicht gelesen werden. Bitte noch einmal wählen.',
  ),
  folder: text(
    'This is a folder. Open it and drop its files.',
    'Das ist ein Ordner. Bitte öffnen und die Dateien darin ablegen.',
  ),
  noResponse: text(
    'The service does not respond. Check the connection and try again.',
    'Der Dienst antwortet nicht. Bitte die Verbindung prüfen und es noch einmal versuchen.',
  ),
  offline: text(
    'You are offline. Uploads continue when the connection is back.',
    'Sie sind offline. Uploads gehen weiter, sobald die Verbindung wieder da ist.',
  ),
  preview: text('Preview', 'Vorschau'),
  send: text('Send', 'Senden'),
  sendAll: filled('Send all {}', 'Alle {} senden'),
  reading: text('Reading the first rows…', 'Die ersten Zeilen werden gelesen…'),
  noDecoder: text(
    'This browser cannot decompress this file. Its rows show as soon as it arrives.',
    'Dieser Browser kann diese Datei nicht entpacken. Ihre Zeilen sind zu sehen, sobald sie ankommt.',
  ),
  noPreview: text(
    'This file cannot be looked into here. It can be sent all the same.',
    'Diese Datei lässt sich hier nicht ansehen. Senden lässt sie sich trotzdem.',
  ),
  changeReading: text('Change how it is read', 'Anders lesen lassen'),
  checkWhole: text('Check the whole file', 'Ganze Datei prüfen'),
  stopCheck: text('Stop checking', 'Prüfung anhalten'),
  hideCheck: text('Hide the check', 'Prüfung ausblenden'),
  checked: text('Result of the check', 'Ergebnis der Prüfung'),
  wouldBeAccepted: filled(
    '{} of {} records would be accepted; {} rejected',
    '{} von {} Datensätzen würden angenommen; {} abgelehnt',
  ),
  checkedIn: filled('{} read on this device in {}.', '{} in {} auf diesem Gerät gelesen.'),
  recordsSoFar: filled('{} {record|records}, {} rejected', '{} {Datensatz|Datensätze}, {} abgelehnt'),
  firstOnly: filled('These are the first {}.', 'Das sind die ersten {}.'),
  columnCount: filled('Columns: {}', 'Spalten: {}'),
  moreColumns: filled(
    '{} more {column is|columns are} not shown here.',
    '{} weitere {Spalte ist|Spalten sind} hier nicht gezeigt.',
  ),
  withHeader: text('with header', 'mit Kopfzeile'),
  withoutHeader: text('without header', 'ohne Kopfzeile'),
  skipRows: text('Rows above the header', 'Zeilen über der Kopfzeile'),
  tab: text('Tab', 'Tabulator'),
  search: text('Search by file name', 'Nach Dateiname suchen'),
  noDatasets: text(
    'No datasets yet. Upload a CSV file to make one.',
    'Noch keine Tabellen. Laden Sie eine CSV-Datei hoch.',
  ),
  nothingFound: text('No dataset has such a name.', 'Keine Tabelle heißt so.'),
  more: text('Load more', 'Mehr laden'),
  loading: text('Loading…', 'Wird geladen…'),
  file: text('File', 'Datei'),
  created: text('Created', 'Erstellt'),
  accepted: text('Accepted', 'Angenommen'),
  rejected: text('Rejected', 'Abgelehnt'),
  size: text('Size', 'Größe'),
  receipt: text('Receipt', 'Beleg'),
  rows: text('Rows', 'Zeilen'),
  rejects: text('Rejects', 'Abgelehnt'),
  fix: text('Fix', 'Berichtigen'),
  columns: text('Columns', 'Spalten'),
  sql: 'SQL',
  readAgain: text('Read it another way', 'Anders lesen'),
  name: 'Name',
  type: text('Type', 'Typ'),
  why: text('Why', 'Warum'),
  nulls: text('Nulls', 'Nullwerte'),
  notes: text('Notes', 'Hinweise'),
  serious: text('Probably not the right file:', 'Wohl nicht die richtige Datei:'),
  lines: text(
    (many: number, lines: string) => `${many === 1 ? 'line' : 'lines'} ${lines}`,
    (many, lines) => `${many === 1 ? 'Zeile' : 'Zeilen'} ${lines}`,
  ),
  evidence: text('How it was read', 'So wurde gelesen'),
  encoding: text('Encoding', 'Zeichensatz'),
  delimiter: text('Delimiter', 'Trennzeichen'),
  quote: text('Quote', 'Anführungszeichen'),
  lineEnd: text('Line end', 'Zeilenende'),
  header: text('Header', 'Kopfzeile'),
  yes: text('yes', 'ja'),
  no: text('no', 'nein'),
  none: text('none', 'keine'),
  detected: text('detected', 'erkannt'),
  downloads: 'Downloads',
  download: text('Download', 'Herunterladen'),
  views: text('Views of the dataset', 'Ansichten der Tabelle'),
  wholeFile: filled(
    'The file from first to last byte; rejected: {}',
    'Die Datei vom ersten bis zum letzten Byte; abgelehnt: {}',
  ),
  original: text('Original, bit for bit', 'Original, Bit für Bit'),
  asCsv: 'CSV',
  forSpreadsheet: text('CSV for a spreadsheet', 'CSV für Tabellenkalkulationen'),
  asParquet: 'Parquet',
  asJson: 'NDJSON',
  rejectsCsv: text('Rejects as CSV', 'Abgelehnte als CSV'),
  use: text('Use it elsewhere', 'Anderswo verwenden'),
  copy: text('Copy', 'Kopieren'),
  copied: text('Copied', 'Kopiert'),
  deleteDataset: text('Delete dataset', 'Tabelle löschen'),
  removed: filled('{} will be deleted.', '{} wird gelöscht.'),
  notRemoved: filled('{} could not be deleted.', '{} ließ sich nicht löschen.'),
  undo: text('Undo', 'Rückgängig'),
  noRejects: text('No record was rejected.', 'Nichts wurde abgelehnt.'),
  line: text('Line', 'Zeile'),
  record: text('Record', 'Satz'),
  offset: text('Offset', 'Byte'),
  reason: text('Reason', 'Grund'),
  text: 'Text',
  allReasons: text('All reasons', 'Alle Gründe'),
  goToRow: text('Go to row', 'Zu Zeile'),
  rowNumber: text('Row', 'Zeile'),
  findColumn: text('Find a column', 'Spalte suchen'),
  filter: text('Filter', 'Filtern'),
  filters: text('Filters', 'Filter'),
  filterColumn: text('Column to filter', 'Spalte zum Filtern'),
  filterValue: text('Value to look for', 'Gesuchter Wert'),
  condition: text('Condition', 'Bedingung'),
  contains: text('contains', 'enthält'),
  isNull: text('is null', 'ist null'),
  isNotNull: text('is not null', 'ist nicht null'),
  length: text('length', 'Länge'),
  noMatch: text('No row matches.', 'Keine Zeile passt.'),
  copyHint: text(
    'Shift and arrow keys select cells, Ctrl+A all of them, and Ctrl+C copies them for a spreadsheet.',
    'Umschalt- und Pfeiltasten wählen Zellen, Strg+A alle, und Strg+C kopiert sie für eine Tabellenkalkulation.',
  ),
  rowsCopied: filled('Copied {} {row|rows}.', '{} {Zeile|Zeilen} kopiert.'),
  rowOf: filled('Rows {} to {} of {}', 'Zeilen {} bis {} von {}'),
  nullValue: 'null',
  emptyText: text('empty text', 'leerer Text'),
  fullValue: text('Value', 'Wert'),
  noRows: text('This dataset has no rows.', 'Diese Tabelle hat keine Zeilen.'),
  distinct: text('Distinct', 'Verschiedene'),
  min: 'Minimum',
  max: 'Maximum',
  mean: text('Mean', 'Mittel'),
  median: 'Median',
  approximate: text('approximate', 'ungefähr'),
  values: text('Values', 'Werte'),
  count: text('Count', 'Anzahl'),
  plotOf: filled('Values of {}; arrow keys go from bar to bar', 'Werte von {}; Pfeiltasten gehen von Balken zu Balken'),
  asTable: text('As a table', 'Als Tabelle'),
  asBars: text('As bars', 'Als Balken'),
  column: text('column', 'Spalte'),
  function: text('function', 'Funktion'),
  suggestions: text('Suggestions', 'Vorschläge'),
  completions: filled('{} {suggestion|suggestions}; Tab takes one', '{} {Vorschlag|Vorschläge}; Tab übernimmt einen'),
  run: text('Run', 'Ausführen'),
  examples: text('Examples', 'Beispiele'),
  history: text('History', 'Verlauf'),
  result: text('Result', 'Ergebnis'),
  rowCount: filled('{} {row|rows} in {} ms', '{} {Zeile|Zeilen} in {} ms'),
  truncated: text(
    'There are more rows than shown. Use a filter or LIMIT.',
    'Es gibt mehr Zeilen als gezeigt. Filter oder LIMIT verwenden.',
  ),
  runHint: text(
    'Ctrl+Enter runs the statement; Tab takes a suggestion.',
    'Strg+Eingabe führt die Anweisung aus; Tab übernimmt einen Vorschlag.',
  ),
  readingIntro: text(
    'The stored file is read again; nothing is sent. This makes another dataset, the present one stays.',
    'Die gespeicherte Datei wird erneut gelesen; nichts wird gesendet. So entsteht eine weitere Tabelle, die jetzige bleibt.',
  ),
  sameReading: text('Read this way, it is the same dataset.', 'So gelesen ist es dieselbe Tabelle.'),
  openReading: text('Open this reading', 'Diese Lesart öffnen'),
  rejectedInHead: filled('Rejected in the first megabyte: {}', 'Abgelehnt im ersten Megabyte: {}'),
  missing: text('missing', 'fehlt'),
  readNow: text('Read this way', 'So lesen'),
  edit: text('Edit', 'Bearbeiten'),
  takeBack: text('Undo the edit', 'Änderung verwerfen'),
  correctedText: text('Corrected text', 'Berichtigter Text'),
  readable: text('Can be read:', 'Lesbar:'),
  readingText: text('Reading…', 'Wird gelesen …'),
  readLater: text('It is read when it is sent.', 'Wird beim Senden gelesen.'),
  tooLongToEdit: text(
    'This record is too long to be edited here.',
    'Dieser Datensatz ist zu lang, um ihn hier zu bearbeiten.',
  ),
  correctHint: text(
    'Edit a record as it should stand in the file. Enter goes to the next, Escape undoes, Ctrl+Enter sends.',
    'Datensätze so schreiben, wie sie in der Datei stehen sollen. Enter geht zum nächsten, Escape verwirft, Strg+Enter sendet.',
  ),
  draftsSentence: filled('Can be read: {}; still wrong: {}', 'Lesbar: {}; noch falsch: {}'),
  sendCorrections: text('Send the corrections', 'Berichtigungen senden'),
  correctedSentence: filled('Corrected: {}; still wrong: {}', 'Berichtigt: {}; noch falsch: {}'),
  correctedFrom: filled('Corrected records: {}.', 'Berichtigte Datensätze: {}.'),
  uncorrected: text('The dataset before', 'Die Tabelle davor'),
  correctedRecords: filled('Corrected records ({})', 'Berichtigte Datensätze ({})'),
  correctionsFile: text('Corrections', 'Berichtigungen'),
  editElsewhere: text('In a spreadsheet', 'In einer Tabellenkalkulation'),
  editElsewhereHint: text(
    'Save the rejects, edit their column text, and send the file back. Rows left as they are stay rejects.',
    'Abgelehnte Datensätze speichern, ihre Spalte text bearbeiten und die Datei zurücksenden. Was unverändert bleibt, bleibt abgelehnt.',
  ),
  sendEdited: text('Send the edited file', 'Bearbeitete Datei senden'),
  keyNeeded: text('This service asks for an API key.', 'Dieser Dienst verlangt einen API-Schlüssel.'),
  key: text('API key', 'API-Schlüssel'),
  useKey: text('Use key', 'Schlüssel verwenden'),
  keyKept: text('The key is kept for this tab only.', 'Der Schlüssel bleibt nur in diesem Tab.'),
  keyRefused: text(
    'This was refused for lack of a valid key. Try it again.',
    'Ohne gültigen Schlüssel wurde das abgelehnt. Bitte noch einmal versuchen.',
  ),
  keyWrong: text('The service does not accept this key.', 'Der Dienst nimmt diesen Schlüssel nicht an.'),
  keyOf: filled('Key {} of {} {}', 'Schlüssel {} von {} {}'),
  may: filled('may {}', 'darf {}'),
  mayNothing: text('may do nothing here', 'darf hier nichts'),
  scopeNames: {
    upload: text('send files', 'Dateien senden'),
    read: text('read datasets', 'Tabellen lesen'),
    delete: text('delete datasets', 'Tabellen löschen'),
  } as Readonly<Record<string, string>>,
  validUntil: filled('valid until {}', 'gültig bis {}'),
  stored: text('Stored', 'Gespeichert'),
  ofMost: filled('{} of {}', '{} von {}'),
  forgetKey: text('Forget the key', 'Schlüssel vergessen'),
  mayNotSend: text(
    'This key may not send files. Checking them here needs no permission.',
    'Dieser Schlüssel darf keine Dateien senden. Sie hier zu prüfen braucht keine Erlaubnis.',
  ),
  mayNotMake: text('This key may not make datasets.', 'Dieser Schlüssel darf keine Tabellen anlegen.'),
  mayNotRead: text('This key may not read datasets.', 'Dieser Schlüssel darf keine Tabellen lesen.'),
  tooLarge: filled(
    'This file is too large: the service takes files of at most {}.',
    'Diese Datei ist zu groß: Der Dienst nimmt Dateien bis {}.',
  ),
  quotaLeft: filled(
    'This file is larger than what is left of the quota, {}.',
    'Diese Datei ist größer als der Rest des Kontingents, {}.',
  ),
  noDatasetLeft: text(
    'The quota allows no further dataset. Delete one first.',
    'Das Kontingent erlaubt keine weitere Tabelle. Zuerst eine löschen.',
  ),
  noDataset: text('This dataset cannot be shown.', 'Diese Tabelle lässt sich nicht zeigen.'),
  notFound: text('There is nothing here.', 'Hier ist nichts.'),
  back: text('All datasets', 'Alle Tabellen'),
  error: text('Something went wrong', 'Etwas ist schiefgegangen'),
}

/** Chooses the other language for this and later visits; reloads the page. */
export function switchLanguage(): void {
  localStorage.setItem('language', text('de', 'en'))
  location.reload()
}
