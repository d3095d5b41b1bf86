// German failures: one sentence for each exception of an error record, with what to do if possible.

const again = 'Bitte später noch einmal versuchen.'
const log = 'Das Protokoll des Dienstes nennt die Ursache.'
const saveAsCsv = 'Die Tabelle daraus als CSV-Datei speichern und diese senden.'

/** By the last name of the exception. */
export const germanFailures: Readonly<Record<string, string>> = {
  MissingServletRequestParameterException: 'Die Anfrage enthält keine Datei.',
  NullPointerException: 'Die Anfrage ließ sich nicht in ihre Teile zerlegen.',
  HttpMediaTypeNotSupportedException: 'Der Dienst nimmt Anfragen dieser Art nicht an.',
  NoHandlerFoundException: 'Unter dieser Adresse gibt es nichts.',
  HttpRequestMethodNotSupportedException: 'Diese Adresse nimmt solche Anfragen nicht an.',
  HttpMediaTypeNotAcceptableException: 'In dieser Form kann der Dienst nicht antworten.',
  NotCsvException: `Die Datei ist kein CSV. ${saveAsCsv}`,
  DatasetNotFoundException: 'Diese Tabelle gibt es nicht, oder sie wurde gelöscht.',
  UploadNotFoundException: 'Diesen Upload kennt der Dienst nicht mehr. Bitte die Datei noch einmal senden.',
  UploadEndedException: 'Dieser Upload ist zu Ende. Bitte die Datei noch einmal senden.',
  UploadOffsetMismatchException: 'Der Dienst hat andere Bytes dieses Uploads als erwartet.',
  UploadLengthMismatchException: 'Die Länge der Datei hat sich während des Uploads geändert. Bitte neu beginnen.',
  UploadChecksumMismatchException: 'Bytes kamen verändert an und wurden verworfen. Bitte noch einmal senden.',
  UploadTakenOverException: 'Eine andere Anfrage hat diesen Upload übernommen.',
  TooManyUnfinishedException: 'Zu viele Uploads sind unfertig. Bitte einige beenden oder abbrechen.',
  ProtocolNotSupportedException: 'Diese Version des Protokolls kennt der Dienst nicht.',
  UploadCancelledException: 'Der Upload wurde abgebrochen.',
  UploadFinishedException: 'Der Upload wird schon geschrieben und lässt sich nicht mehr abbrechen.',
  UploadInterruptedException: 'Die Verbindung brach vor dem letzten Byte ab. Bitte die Datei noch einmal senden.',
  IdempotencyKeyInUseException: `Dieselbe Anfrage läuft schon. ${again}`,
  IdempotencyKeyReusedException: 'Der Schlüssel dieser Anfrage gehört zu einer anderen Datei.',
  RangeNotSatisfiableException: 'Der verlangte Bereich liegt außerhalb der Datei.',
  QueryTimeoutException:
    'Die Abfrage war nach der erlaubten Zeit nicht fertig. Ein Filter oder weniger Spalten helfen.',
  TooManyUploadsException: `Es laufen schon so viele Uploads, wie erlaubt sind. ${again}`,
  TooManyWatchersException: `Es warten schon so viele auf Uploads, wie erlaubt sind. ${again}`,
  TooManyQueriesException: `Es laufen schon so viele Abfragen, wie erlaubt sind. ${again}`,
  TooManyCopiesException: `Es laufen schon so viele Kopien, wie erlaubt sind. ${again}`,
  ShuttingDownException: `Der Dienst fährt gerade herunter. ${again}`,
  NotReadyException: `Der Dienst kann gerade keine Dateien verarbeiten. ${log}`,
  DiskFullException: 'Der Dienst hat keinen Platz mehr für die Datei. Nichts davon wurde behalten.',
  StoreUnsuitableException: `Der Speicher des Dienstes ist nicht geeignet. ${log}`,
  StoreUnavailableException: `Der Speicher des Dienstes ist gerade nicht erreichbar. ${again}`,
  TooManyOpenFilesException: `Der Dienst hat so viele Dateien und Verbindungen offen, wie er darf. ${again}`,
  StoreException: `Der Speicher des Dienstes meldet einen Fehler. Erneutes Senden ist gefahrlos. ${log}`,
  DatasetDamagedException:
    'Die gespeicherte Tabelle ist beschädigt. Dieselbe Datei noch einmal zu senden stellt sie wieder her.',
  DataDirectoryInUseException: 'Das Datenverzeichnis wird schon benutzt.',
  DataFormatNewerException:
    'Das Datenverzeichnis hat ein neueres Format. Starten Sie eine neuere Version des Dienstes.',
  ConversionException: `Die Datei ließ sich nicht umwandeln; nichts davon wurde behalten. ${log}`,
  RequestTimeoutException: 'Die Anfrage kam zu langsam an. Bitte noch einmal senden.',
  UnauthorizedException: 'Der Dienst nimmt diesen Schlüssel nicht an.',
  IssuerUnavailableException: `Der Schlüssel lässt sich gerade nicht prüfen. ${again}`,
  ForbiddenException: 'Der Schlüssel erlaubt das nicht.',
  TooManyRequestsException: `Das waren zu viele Anfragen in einer Minute. ${again}`,
  QuotaExceededException: 'Das Kontingent reicht nicht. Zuerst Tabellen löschen, die nicht mehr gebraucht werden.',
  HostNotAllowedException: 'Unter diesem Namen antwortet der Dienst nicht.',
  CrossSiteException: 'Eine Seite anderer Herkunft hat das verlangt; der Dienst lehnt es ab.',
  ExpectationFailedException: 'Was der Browser erwartet, leistet der Dienst nicht.',
  HeadersTooLargeException: 'Die Anfrage hat zu lange Kopfzeilen.',
  VersionNotSupportedException: 'Diese Version von HTTP kennt der Dienst nicht.',
  PreconditionFailedException: 'Die Tabelle ist inzwischen eine andere; gelöscht wurde nichts.',
  InternalException: `Im Dienst ist ein Fehler aufgetreten. ${log}`,
}

/** The same, for those that also need the service's message. */
export const germanIntroductions: Readonly<Record<string, string>> = {
  MultipartException: 'Die Anfrage mit der Datei ist nicht lesbar.',
  MaxUploadSizeExceededException: 'Die Datei ist größer, als der Dienst erlaubt.',
  NotReadableException: 'Die Datei lässt sich nicht als CSV lesen.',
  BadParameterException: 'Eine Angabe lässt sich nicht verwenden.',
  SchemaMismatchException: 'Das Schema passt nicht zur Datei.',
  BadCorrectionsException: 'Die Berichtigungen sind nicht lesbar.',
  CorrectionsMismatchException: 'Die Berichtigungen passen nicht zu dieser Tabelle.',
  QueryNotReadOnlyException: 'Nur eine einzelne Anweisung, die liest, ist erlaubt.',
  QueryFailedException: 'Die Abfrage ließ sich nicht ausführen.',
  QueryTooLargeException: 'Die Abfrage ist zu groß.',
  BadRequestException: 'Die Anfrage ist nicht lesbar.',
}

const kinds: Readonly<Record<string, string>> = {
  'a gzip archive': 'ein gzip-Archiv',
  'a bzip2 archive': 'ein bzip2-Archiv',
  'an xz archive': 'ein xz-Archiv',
  'a Zstandard archive': 'ein Zstandard-Archiv',
  'an LZ4 archive': 'ein LZ4-Archiv',
  'a 7-Zip archive': 'ein 7-Zip-Archiv',
  'a RAR archive': 'ein RAR-Archiv',
  'a tar archive': 'ein tar-Archiv',
  'a zip archive': 'ein Zip-Archiv',
  'an encrypted Excel workbook': 'eine verschlüsselte Excel-Mappe',
  'an old Excel workbook (.xls)': 'eine alte Excel-Mappe (.xls)',
  'an Excel workbook (.xlsx)': 'eine Excel-Mappe (.xlsx)',
  'an OpenDocument spreadsheet (.ods)': 'eine OpenDocument-Tabelle (.ods)',
  'a Word document (.docx)': 'ein Word-Dokument (.docx)',
  'a PDF document': 'ein PDF-Dokument',
  'a PNG image': 'ein PNG-Bild',
  'a JPEG image': 'ein JPEG-Bild',
  'a GIF image': 'ein GIF-Bild',
  'a Parquet file': 'eine Parquet-Datei',
  'an ORC file': 'eine ORC-Datei',
  'an Arrow file': 'eine Arrow-Datei',
  'an Avro file': 'eine Avro-Datei',
  'an SQLite database': 'eine SQLite-Datenbank',
  'a DuckDB database': 'eine DuckDB-Datenbank',
  'a program': 'ein Programm',
  'binary data (it is full of NUL bytes)': 'eine Binärdatei',
  'an HTML page': 'eine HTML-Seite',
  'an XML document': 'ein XML-Dokument',
  'a JSON document': 'ein JSON-Dokument',
}

/** What a file is that is not CSV, and what to do about it. */
export function germanKind(looksLike: string): string | undefined {
  const kind = kinds[looksLike]
  return kind && `Die Datei ist ${kind}, kein CSV. ${saveAsCsv}`
}
