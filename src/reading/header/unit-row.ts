// Unit row: recognizes a record of units, such as `s,degC,hPa`, below the column names. Knows nothing of tables.
import { kindOf } from '../sniffer/value-kind.ts'

const prefixed =
  /^[yzafpnuµμmcdhkMGTPE]?(?:m|g|s|A|K|V|W|Hz|Pa|J|N|l|L|bar|mol|eV|Wh|Ah|B|bit|lm|lx|F|S|T|H|C|Bq|Gy|Sv|Ω|ohm|cd|t)$/
const plain = new Set(
  `
    % ‰ ppm ppb deg ° degc degf °c °f celsius kelvin rad min h hr hrs d a second seconds volt volts ampere
    hertz mag arcsec mas sec secs day days month year years in ft yd mi nm kn kt mph rpm lb lbs oz gal ha
    acre psi atm mmhg dbm db px pcs count units unit n/a - usd eur gbp chf jpy $ € £ kcal cal btu hpa mbar
    utc yyyy-mm-dd iso8601
  `
    .trim()
    .split(/\s+/),
)

/** What stands for no unit, and for no value. */
const placeholder = /^(?:-|n\/a)$/i

/**
 * True if every value present is a unit, simple or compound, bare or in brackets, and at least two are, of which one is
 * more than a letter: a record of letters, or of placeholders alone, is none. Where all columns are numeric, half of the
 * values suffice.
 *
 * @param isMeasured Whether the column of the value is numeric: a unit stands above numbers.
 */
export function isUnitRow(values: readonly string[], isMeasured: (column: number) => boolean): boolean {
  const filled = values.map((value) => value.trim()).filter((value) => value !== '')
  const units = filled.filter(isUnit)
  if (units.length < 2 || units.length * 2 < filled.length || filled.length * 2 <= values.length) return false
  if (units.every((value) => placeholder.test(value) || /^[a-z]$/i.test(value))) return false
  if (units.length < filled.length)
    return values.every((value, column) => kindOf(value) === 'text' && isMeasured(column))
  return values.every((value, column) => /^[([]?[-\s]*[)\]]?$/.test(value) || isMeasured(column))
}

function isUnit(value: string): boolean {
  const bare = value.replace(/^[([](.*)[)\]]$/, '$1').trim()
  if (bare.length > 16) return false
  const parts = bare.split(/[/·*. ]/).filter((part) => part !== '')
  return parts.length > 0 && (plain.has(bare.toLowerCase()) || parts.every(isFactor))
}

/** `m`, `m2`, `m^3`, `s-1`. */
function isFactor(part: string): boolean {
  const symbol = part.replace(/(?:(?<=m|ft|in|mi|yd)[23]|\^-?\d|-\d|[²³⁻¹]+)$/u, '')
  return prefixed.test(symbol) || plain.has(symbol.toLowerCase())
}
