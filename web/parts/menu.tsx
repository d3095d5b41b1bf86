// Menu: what a button opens beside itself, as the browser's own popover: it closes by Escape and by a press elsewhere.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface MenuProps {
  /** What the button shows. */
  readonly label: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

export function Menu({ label, class: classes = 'btn', children }: MenuProps) {
  const id = useId()
  return (
    <>
      <button type="button" class={classes} popovertarget={id}>
        {label}
      </button>
      <div class="menu" id={id} popover="auto">
        {children}
      </div>
    </>
  )
}
