// German notes: a sentence for each code of the table of notes and for each reason of a reject. The lines, the column
// and the place are shown beside it.
import type { NoteCode } from '../../src/core/notes.ts'

export const germanNotes: Readonly<Record<NoteCode, string>> = {
  ENCODING_GUESSED: 'Der Zeichensatz ist nicht sicher: Er wurde aus den Bytes erschlossen. Bitte die Umlaute prüfen.',

  DELIMITER_UNCERTAIN:
    'Das Trennzeichen ist nicht sicher: Ein anderes passt fast genauso gut, oder jede Zeile ist ein einziger Wert.',
  DELIMITER_TOO_LONG:
    'Die Felder scheinen durch mehrere Zeichen getrennt zu sein, wie || oder ~|~; nur eines davon gilt als Trennzeichen.',
  DELIMITER_LINE_IGNORED:
    'Die erste Zeile nennt ein Trennzeichen, mit dem keine Tabelle entsteht; ein anderes wurde verwendet.',
  QUOTES_AS_TEXT:
    'Doppelte Anführungszeichen gelten hier als gewöhnliche Zeichen: Sie öffnen und schließen keine Felder.',
  QUOTES_NOT_ESCAPED: 'Anführungszeichen in Feldern sind weder verdoppelt noch maskiert.',
  LINES_QUOTED: 'Jede Zeile scheint als Ganzes in Anführungszeichen zu stehen und ist deshalb ein einziger Wert.',
  DELIMITERS_ESCAPED: 'Vor Trennzeichen außerhalb von Anführungszeichen steht ein Backslash; sie trennen trotzdem.',
  LINE_ENDS_ESCAPED:
    'Vor Zeilenenden außerhalb von Anführungszeichen steht ein Backslash; sie beenden trotzdem den Datensatz.',

  NO_HEADER: 'Keine Kopfzeile gefunden: Die Spalten heißen column_1, column_2 und so weiter.',
  HEADER_UNCERTAIN: 'Der erste Datensatz kann eine Kopfzeile sein oder Daten enthalten.',
  UNITS_SKIPPED: 'Der Datensatz mit Einheiten unter der Kopfzeile wurde übersprungen.',
  HEADER_WIDTH_DIFFERS: 'Die Kopfzeile hat mehr oder weniger Namen, als die Tabelle Spalten hat.',
  HEADER_JOINED: 'Die Kopfzeile ist mehrere Datensätze hoch: Ihre Werte wurden je Spalte zu einem Namen verbunden.',
  HEADER_QUOTES_UNMATCHED:
    'Die Anführungszeichen der Kopfzeile passen nicht zueinander: bitte die Namen der Spalten prüfen.',
  HEADER_BYTES_INVALID:
    'Die Kopfzeile enthält Bytes, die im Zeichensatz der Datei keine Zeichen sind; sie wurden in einem anderen gelesen.',
  HEADER_SECOND_LINE: 'Die Zeile unter der Kopfzeile sieht aus, als gehöre sie dazu; sie wird als Datensatz gelesen.',
  HEADER_REPEATED: 'Die Kopfzeile steht weiter unten noch einmal; dort wird sie als Datensatz gelesen.',
  NAMES_NUMBERED: 'Spaltennamen, die mehrfach vorkommen, haben eine Nummer bekommen.',
  TITLES_SKIPPED: 'Datensätze über der Tabelle wurden als Titel übersprungen.',
  COMMENTS_SKIPPED: 'Kommentarzeilen wurden übersprungen.',
  RECORDS_MARKED:
    'Vor dem ersten Wert einiger Datensätze steht ein Zeichen wie #, als wären sie auskommentiert; sie werden als Datensätze gelesen.',
  RECORDS_ABOVE_TABLE:
    'Datensätze über der Tabelle haben eine andere Breite und sind keine Titel; die meisten davon sind abgelehnt.',
  ROW_NAMES:
    'Der Kopfzeile fehlt ein Name, wie bei Dateien aus R: Die Namen gehören zu den Spalten von rechts, die erste enthält Zeilennamen.',
  LAST_COLUMN_EMPTY: 'Jeder Datensatz endet mit einem Trennzeichen: Die letzte Spalte ist immer leer.',

  TABLE_OTHER_WIDTH:
    'Weiter unten scheint eine andere Tabelle mit anderer Breite zu beginnen; ihre Datensätze sind abgelehnt.',
  TABLE_SAME_WIDTH:
    'Weiter unten scheint eine andere Tabelle gleicher Breite zu beginnen; sie wird als Teil dieser gelesen.',
  MOST_REJECTED:
    'Mehr Datensätze wurden abgelehnt als angenommen: Die Datei ist vielleicht Fließtext oder anders aufgebaut.',
  RULE_LINES: 'Linien, die durch die Tabelle gezogen sind, werden wie Datensätze gelesen.',
  NOT_A_TABLE: 'Die Datei sieht nach HTML, XML oder JSON aus; sie wurde gelesen, weil es so verlangt war.',
  UNLIKELY_TABLE:
    'Die Zeilen lesen sich nicht wie Datensätze einer Tabelle, eher wie Text, Code, ein Protokoll oder Einstellungen.',
  ALIGNED_COLUMNS:
    'Die Spalten sind mit Leerzeichen ausgerichtet: Jede Zeile ist ein einziger Wert, oder jedes Leerzeichen trennt.',
  RECORDS_END_WITH_CR:
    'Einige Datensätze enden mit einem Wagenrücklauf, der hier kein Zeilenende ist; er gehört zum letzten Wert, oder sie sind abgelehnt.',

  LINE_ENDS_MIXED: 'Einige Datensätze enden mit LF, andere mit CR LF; beides gilt als Zeilenende.',
  UNUSUAL_LINE_ENDS: 'Zeilen enden mit CR CR LF oder LF CR: Beides gilt als ein Zeilenende, CR LF, auch in Werten.',

  DECLARED_ENCODING_CONFLICT:
    'Der angegebene Zeichensatz wurde verwendet, aber die Bytes sehen nach einem anderen aus.',
  DECLARED_LINE_TERMINATOR_CONFLICT: 'Das angegebene Zeilenende wurde verwendet, aber die Datei hat andere.',
  DECLARED_DIALECT_CONFLICT:
    'Das angegebene Trenn-, Anführungs- oder Maskierungszeichen wurde verwendet, aber mit einem anderen entsteht eine bessere Tabelle.',
  DECLARED_HEADER_CONFLICT:
    'Die Angabe zur Kopfzeile wurde befolgt, aber der erste Datensatz sieht nach dem Gegenteil aus.',
  DECLARED_SKIP_ROWS_CONFLICT:
    'Die angegebene Zahl von Zeilen wurde übersprungen, aber der Datensatz danach hat nicht die Breite der Tabelle.',
  SCHEMA_FIELDS_MISSING: 'Für einige Felder des Schemas hat die Datei keine Spalte.',
  CORRECTIONS_LEFT_OUT:
    'Berichtigte Datensätze verstoßen gegen das Schema dieser Lesart: Sie sind abgelehnt wie zuvor.',
  SCHEMA_NAMES_AS_DATA:
    'Der erste Datensatz enthält die Namen des Schemas, wird aber als Daten gelesen, weil keine Kopfzeile angegeben war.',
  PARTS_IGNORED: 'Teile der Anfrage wurden nicht beachtet: Sie sind weder die Datei noch lesbare Angaben zu ihr.',

  CODING_IGNORED: 'Content-Encoding der Anfrage nennt keine Kodierung, sondern etwa einen Zeichensatz, und gilt nicht.',
  EMPTY_RECORDS_AT_END: 'Die letzten Datensätze der Datei haben keinen einzigen Wert; sie zählen als leer.',
  QUOTE_REPAIRED:
    'Datensätze haben ein Anführungszeichen zu viel, sind aber nur auf eine Weise lesbar; es bleibt als Text erhalten.',
  ESCAPE_MIXED:
    'Datensätze maskieren Anführungszeichen anders als der Rest der Datei; sie werden gelesen, wie sie gemeint sind.',
  QUOTE_RUNAWAY:
    'Zwei verirrte Anführungszeichen würden alle Zeilen dazwischen zu einem Wert machen; sie werden als Datensätze gelesen, und die Zeile mit dem ersten ist abgelehnt.',
  VALUE_LIKE_RECORDS:
    'Die Zeilen eines Wertes in Anführungszeichen sehen wie Datensätze aus; sie werden als ein Wert gelesen.',
  TOTAL_RECORD: 'Der letzte Datensatz sieht wie eine Summe oder ein Durchschnitt aus; er wird wie die anderen gelesen.',
  FOOTER_REJECTED:
    'Datensätze am Ende haben weniger Felder als die Tabelle und sehen wie eine Fußzeile aus; sie sind abgelehnt.',
  COMPRESSED_DATA_CUT_OFF:
    'Die komprimierten Daten hören vor ihrem Ende auf: Gelesen wurde, was sich entpacken ließ, der Rest fehlt.',
  COMPRESSED_DATA_FOLLOWED:
    'Hinter den komprimierten Daten stehen Bytes, die zu nichts gehören; sie wurden nicht gelesen.',
  FILE_CUT_OFF: 'Die Datei endet mitten in einem Datensatz, ohne Zeilenende; vielleicht wurde sie abgeschnitten.',

  AMBIGUOUS_DATES: 'Bei Datumsangaben kann der Tag oder der Monat vorn stehen; sie bleiben Text.',
  AMBIGUOUS_NUMBERS: 'Ein Zeichen in Zahlen kann Tausender oder Nachkommastellen abtrennen; sie bleiben Text.',
  NUMBER_FORMS_DIFFER:
    'Zahlen sind verschieden geschrieben, etwa 2 und 2.0: Verschiedene Texte können dieselbe Zahl sein; als CSV bleiben die Texte.',
  LEADING_ZEROS: 'Werte haben führende Nullen; sie bleiben Text.',
  PLUS_SIGNS: 'Werte haben ein Pluszeichen; sie bleiben Text.',
  TOO_MANY_DIGITS:
    'Werte haben mehr Stellen, als eine Gleitkommazahl genau darstellt; der Typ ist so gewählt, dass alle erhalten bleiben.',
  NUMBERS_ROUNDED:
    'Werte haben mehr Stellen, als eine Gleitkommazahl genau darstellt, und kein Dezimaltyp fasst sie alle: Gespeichert sind die nächsten Gleitkommazahlen; als CSV bleiben die Texte.',
  MIXED_VALUES: 'Alle Werte sehen nach einem Typ aus, aber nicht nach demselben; sie bleiben Text.',
  FEW_MISFITS: 'Wenige Werte, höchstens 1 % und 1.000, verhindern den Typ der anderen; die Spalte bleibt Text.',
  VALUES_AS_FORMULAS:
    'Jeder Wert einer Spalte ist als Formel geschrieben, `="…"`, für Excel; er bleibt Text, mit diesen Zeichen.',
  MORE_COLUMNS: 'Zu weiteren Spalten gibt es Hinweise, die hier nicht aufgeführt sind.',
}
