// Icon: the drawings of the page, 16 by 16, in the color of the text.

const drawings = {
  close: 'm4 4 8 8M12 4l-8 8',
  dark: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5',
  down: 'M8 3v10M4.5 9.5 8 13l3.5-3.5',
  download: 'M8 2v8M5 7.5l3 3 3-3M2.5 13.5h11',
  info: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 7.3v3.7M8 5v.1',
  light:
    'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  play: 'm5 3.5 7 4.5-7 4.5z',
  plus: 'M8 3v10M3 8h10',
  stop: 'M4.5 4.5h7v7h-7z',
  system: 'M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9',
  turn: 'm4 10 4-4 4 4',
  undo: 'M3 6h6.5a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3',
  up: 'M8 13V3M4.5 6.5 8 3l3.5 3.5',
  upload: 'M8 10V2.5M5 5l3-3 3 3M2.5 10.5v2a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-2',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2h.01',
} as const

export type IconName = keyof typeof drawings

export function Icon({ name, class: classes = '' }: { readonly name: IconName; readonly class?: string }) {
  return (
    <svg class={`icon ${classes}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={drawings[name]} />
    </svg>
  )
}
