// Copy button: puts a text on the clipboard and says so. Knows nothing of the text.
import { useState } from 'preact/hooks'
import { t } from '../texts.ts'

export function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <button type="button" class="small" onClick={copy} onBlur={() => setCopied(false)}>
      <span aria-live="polite">{isCopied ? t.copied : t.copy}</span>
    </button>
  )
}
