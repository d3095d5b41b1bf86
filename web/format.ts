// Format: numbers, sizes, times, dates, names and outcomes as people read them, in the language of the page.
import { language, t } from './texts.ts'

const integers = new Intl.NumberFormat(language)
const decimals = new Intl.NumberFormat(language, { maximumSignificantDigits: 9 })
const exact = new Intl.NumberFormat(language, { maximumFractionDigits: 38 })
const daysOfYear = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })
const months = new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric' })
const fractions = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
const percents = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
const lists = new Intl.ListFormat(language)
const times = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
const moments = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })

export function count(value: number): string {
  return integers.format(value)
}

/** A figure of the service with all its digits; those beyond a double come as text. What is no number stays as it is. */
export function shownFigure(value: unknown): string {
  if (typeof value === 'number') return (Number.isInteger(value) ? integers : decimals).format(value)
  const isNumber = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
  return isNumber ? exact.format(value as `${number}`) : String(value)
}

/** A type of a column in words. */
export function typeName(type: string): string {
  return t.typeNames[type.replace(/\(.*/, '')] ?? type
}

/** Numbers are right-aligned. */
export function isNumeric(type = ''): boolean {
  return /^(integer|number|decimal)/.test(type)
}

/** The day of a date in ISO 8601, within its year; or the month and the year. */
export function shortDate(text: string, isWithinYear: boolean): string {
  const day = new Date(`${text.slice(0, 10)}T00:00:00`)
  return Number.isNaN(day.getTime()) ? text : (isWithinYear ? daysOfYear : months).format(day)
}

/** A share of 0 to 1; a small one is not nothing. */
export function percent(share: number): string {
  return share > 0 && share < 0.005 ? `<\u00a0${percents.format(0.01)}` : percents.format(share)
}

/** `a, b, and c`. */
export function list(words: readonly string[]): string {
  return lists.format(words)
}

/** Epoch milliseconds. */
export function moment(epochMs: number): string {
  return moments.format(epochMs)
}

/** `now`, `2 min ago`, `yesterday`; the day, if it is a week ago and more. Epoch milliseconds. */
export function ago(epochMs: number, nowMs = Date.now()): string {
  const minutes = Math.round((epochMs - nowMs) / 60_000)
  if (minutes >= 0) return times.format(0, 'second')
  if (minutes > -60) return times.format(minutes, 'minute')
  if (minutes > -1_440) return times.format(Math.ceil(minutes / 60), 'hour')
  if (minutes > -10_080) return times.format(Math.ceil(minutes / 1_440), 'day')
  return days.format(epochMs)
}

/** `6 days`, or hours on the last one: how long until then. Epoch milliseconds. */
export function remaining(epochMs: number, nowMs = Date.now()): string {
  const hours = Math.max(0, Math.ceil((epochMs - nowMs) / 3_600_000))
  const [value, unit] = hours > 48 ? [Math.floor(hours / 24), 'day'] : [hours, 'hour']
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

/** Powers of 1024, as everywhere in the service. */
export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let unit = 0
  let size = value
  while (size >= 1_024 && unit < units.length - 1) {
    size /= 1_024
    unit += 1
  }
  return `${unit === 0 ? integers.format(Math.round(size)) : fractions.format(size)} ${units[unit]}`
}

/** A rough duration for time left. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** The outcome of a file's records, in one sentence. */
export function acceptedText({ accepted, rejected }: { readonly accepted: number; readonly rejected: number }): string {
  return accepted + rejected === 0 ? t.noRecords : t.rowsAndRejects(count(accepted), count(rejected))
}

/** A name with its direction marks replaced, which could make it look like another. */
export function shownName(name: string): string {
  return name.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}
