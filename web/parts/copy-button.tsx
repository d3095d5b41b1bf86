// Copy button: puts a text into the clipboard, and says so until it loses the focus.
import { useState } from 'preact/hooks'
import { t } from '../texts.ts'

interface CopyButtonProps {
  readonly label: string
  readonly class: string
  /** Asked when the button is pressed. */
  text(): string
}

export function CopyButton({ label, class: classes, text }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(text()).then(() => setCopied(true))
  return (
    <button type="button" class={`btn ${classes}`} onClick={() => void copy()} onBlur={() => setCopied(false)}>
      <span aria-live="polite">{isCopied ? t.copied : label}</span>
    </button>
  )
}
