// Spoken: a sentence marked with its language if that differs from the page's.
import type { Sentence } from '../sentences.ts'

export function Spoken({ sentence: { text, lang } }: { readonly sentence: Sentence }) {
  return <span lang={lang}>{text}</span>
}
