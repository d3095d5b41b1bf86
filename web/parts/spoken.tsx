// Spoken: a sentence marked with its language where that is not the one of the page.
import type { Sentence } from '../sentences.ts'

export function Spoken({ sentence: { text, lang } }: { readonly sentence: Sentence }) {
  return <span lang={lang}>{text}</span>
}
