// Menu: what a button opens beside itself, as the browser's own popover: it closes by Escape and by a press elsewhere.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface MenuProps {
  /** What the button shows. */
  readonly label: ComponentChildren
  /** What the button is called, if that says more than it shows. */
  readonly name?: string
  readonly class?: string
  readonly children: ComponentChildren
}

export function Menu({ label, name, class: classes = 'btn', children }: MenuProps) {
  const id = useId()
  return (
    <>
      <button type="button" class={classes} aria-label={name} popovertarget={id}>
        {label}
      </button>
      <div class="menu" id={id} popover="auto">
        {children}
      </div>
    </>
  )
}
