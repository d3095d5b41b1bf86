// Value classes: numbers for what a value is by its form, in the order of `valueClasses` in src/core/column-facts.ts.

/** A value without a class, or not of the type it is read as. */
export const NO_CLASS: u32 = 0
export const INTEGER: u32 = 1
export const LONG_INTEGER: u32 = 2
export const DECIMAL: u32 = 3
export const THOUSAND_POINT: u32 = 4
export const LONG_DECIMAL: u32 = 5
export const NUMBER: u32 = 6
/** The spellings `true`, `True` and `TRUE`, in this order. */
export const TRUE_LOWER: u32 = 7
export const TRUE_TITLE: u32 = 8
export const TRUE_UPPER: u32 = 9
export const DATE: u32 = 10
export const TIME: u32 = 11
export const TIMESTAMP: u32 = 12
export const TIMESTAMPTZ: u32 = 13
export const PADDED: u32 = 14
export const SIGNED: u32 = 15
export const TOO_LONG: u32 = 16
export const TEXT: u32 = 17
export const DECIMAL_COMMA: u32 = 18
export const THOUSAND_COMMA: u32 = 19
export const LONG_DECIMAL_COMMA: u32 = 20
export const NUMBER_COMMA: u32 = 21
/** For each group character, then each decimal character (none, point, comma; not the group character): short, long. */
const GROUPED: u32 = 22
/** For date and timestamp, then `/`, `.` and `-`: ymd (not with `-`), dmy, mdy, either. */
const DATE_FORMS: u32 = 60
export const CLASS_COUNT: u32 = 82

/** A null word, which has no class; its number is that of `wordOf` in values/special-words.ts. */
export const WORD: u32 = 255

/** Group characters: comma, point, space, apostrophe, no-break space, narrow no-break space, typographic apostrophe. */
export const GROUP_COMMA: u32 = 0
export const GROUP_POINT: u32 = 1
export const GROUP_COUNT: u32 = 7
export const GROUP_NONE: u32 = 255

/** The decimal character. */
export const WHOLE: u32 = 0
export const POINT: u32 = 1
export const COMMA: u32 = 2

export function groupedClass(group: u32, decimal: u32, isLong: bool): u32 {
  const long = isLong as u32
  if (group == GROUP_COMMA) return GROUPED + decimal * 2 + long
  if (group == GROUP_POINT) return GROUPED + 4 + (decimal == COMMA ? 2 : 0) + long
  return GROUPED + 8 + (group - 2) * 6 + decimal * 2 + long
}

export const SLASH: u32 = 0
export const DOT: u32 = 1
export const DASH: u32 = 2
export const YMD: u32 = 0
export const DMY: u32 = 1
export const MDY: u32 = 2
export const EITHER: u32 = 3

export function dateFormClass(hasTime: bool, separator: u32, order: u32): u32 {
  return DATE_FORMS + (hasTime ? 11 : 0) + separator * 4 + (separator == DASH ? order - 1 : order)
}

/** Whether a class is of numbers with a fraction, whose digits are counted. */
export function isFraction(valueClass: u32): bool {
  if (valueClass >= DECIMAL && valueClass <= LONG_DECIMAL) return true
  if (valueClass >= DECIMAL_COMMA && valueClass <= LONG_DECIMAL_COMMA) return true
  if (valueClass < GROUPED || valueClass >= DATE_FORMS) return false
  const place = valueClass - GROUPED
  if (place < 8) return (place & 3) >= 2
  return (place - 8) % 6 >= 2
}
