// Theme: light or dark as chosen on this page, or as the system has it. Kept by the browser, also for the docs.

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const stored = localStorage.getItem('theme')

/** The theme that is shown. */
let theme: Theme = themes.find((one) => one === stored) ?? 'system'
show()

export function currentTheme(): Theme {
  return theme
}

/** From the system's to light, to dark, and around again. */
export function switchTheme(): Theme {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  localStorage.setItem('theme', theme)
  show()
  return theme
}

function show(): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
