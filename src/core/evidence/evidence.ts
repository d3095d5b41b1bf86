// Evidence: why a file is read the way it is, as codes and figures, and the English that is made of them. Knows nothing of the file.

/** Why a file is read the way it is, as the first megabyte shows: codes and figures, put into words where they are shown. */
export interface Evidence {
  /** A sentence. */
  readonly encoding: string
  readonly dialect: DialectEvidence
  readonly header: HeaderEvidence
}

export interface DialectEvidence {
  readonly code: 'declared' | 'named' | 'best' | 'one_column'
  readonly delimiter: string
  readonly width: number
  /** Records of that width, among so many. */
  readonly fitting: number
  readonly records: number
  /** The next best delimiter, and how good a table it makes, in percent. */
  readonly next?: { readonly delimiter: string; readonly percent: number }
}

/** What decides about a header; `reasonsFor` says what each means. */
export type HeaderCode = keyof ReturnType<typeof reasonsFor>

/** The votes of the columns on whether the first record is a header. */
export interface HeaderVotes {
  readonly code: HeaderCode
  /** Columns that have a type only below a header. */
  readonly typed: number
  /** Columns in which its value has another type or shape than those below. */
  readonly unlike: number
  /** Columns in which its value looks like those below. */
  readonly like: number
  /** It may be either. */
  readonly isUncertain: boolean
}

export interface HeaderEvidence extends HeaderVotes {
  /** Lines of the records that are the header; empty if there is none. */
  readonly lines: readonly number[]
}

/** Evidence as a receipt shows it: sentences, and the codes and figures they are made of. */
export interface EvidenceInWords extends Readonly<Record<keyof Evidence, string>> {
  readonly figures: Omit<Evidence, 'encoding'>
}

export function evidenceInWords({ encoding, ...figures }: Evidence): EvidenceInWords {
  return { encoding, dialect: dialectText(figures.dialect), header: headerText(figures.header), figures }
}

function dialectText({ code, delimiter, width, fitting, records, next }: DialectEvidence): string {
  const table = `${fitting} of ${records} records of the head have ${width} ${width === 1 ? 'field' : 'fields'}`
  if (code === 'one_column') return `No delimiter gives a table with several columns: ${table}.`
  const source = { declared: ', as declared', named: ', as the first line says', best: '' }[code]
  const other =
    next === undefined
      ? ''
      : `; the next best, ${delimiterName(next.delimiter)}, makes ${next.percent} % as good a table`
  return `Delimiter ${delimiterName(delimiter)}${source}: ${table}${other}.`
}

function headerText({ lines, ...votes }: HeaderEvidence): string {
  const [line] = lines
  const header =
    line === undefined
      ? 'No header'
      : lines.length === 1
        ? `Header: 1 record, line ${line}`
        : `Header: ${lines.length} records`
  return `${header}: ${votesText(votes, line !== undefined)}.`
}

/** What speaks for and against a header, as a clause. */
export function votesText(votes: HeaderVotes, isHeader: boolean): string {
  return `${reasonsFor(votes, isHeader)[votes.code]}${votes.isUncertain ? '; it may be either' : ''}`
}

function reasonsFor({ typed, unlike, like }: Omit<HeaderVotes, 'code'>, isHeader: boolean) {
  const count = (columns: number) => `${columns} ${columns === 1 ? 'column' : 'columns'}`
  return {
    declared: 'as declared',
    columns: [
      ...(typed > 0 ? [`${count(typed)} ${typed === 1 ? 'has' : 'have'} a type only below a header`] : []),
      ...(unlike > 0 || typed === 0
        ? [`in ${count(unlike)} the value of the first record differs from those below in shape`]
        : []),
      ...(like > 0 ? [`in ${count(like)} it looks like them`] : []),
    ].join(', '),
    years: 'the numbers of the first record may be years that name columns, or figures like those below',
    counting: `the numbers of the first record count up, as names do, and ${like === 0 ? 'no column has its own again' : `${count(like)} ${like === 1 ? 'has its' : 'have their'} own again`}`,
    alone: isHeader
      ? 'it is the only record of the table, and looks like names'
      : 'the only record of the table does not look like names',
    delimited: 'its values have another delimiter than those below',
    width: 'its values look like names, and it has another width than the records',
    groups: 'a record that names groups of columns is above one that names the columns',
    channels: 'a name and the numbers of channels are above a record of units',
    quoted: 'it alone is quoted',
    empty: 'there is no record',
  }
}

/** How a sentence names a delimiter. */
export function delimiterName(delimiter: string): string {
  if (delimiter === '\t') return 'tab'
  if (delimiter === ' ') return 'space'
  if (delimiter >= ' ') return `'${delimiter}'`
  return `U+${delimiter.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`
}
