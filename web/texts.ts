// Texts: the language of this visit, and its sentences. Knows no view.
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

export type Texts = typeof en

const languages = { en, de } as const
export type Language = keyof typeof languages
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

const stored = localStorage.getItem('language')
const preferred = stored ?? navigator.language.slice(0, 2)

/** The language of this visit. */
export const language: Language = preferred === 'de' ? 'de' : 'en'
export const t: Texts = languages[language]
document.documentElement.lang = language

/** A reason of a reject in words; an unknown code stays as it is. */
export function reasonName(reason: string): string {
  const names: Readonly<Record<string, string>> = t.reasonNames
  return names[reason] ?? reason
}

/** Chooses a language for this and later visits; reloads the page. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem('language', chosen)
  location.reload()
}
