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

/** The system's, light, dark, and around again. */
export function nextTheme(): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
}

export function chooseTheme(chosen: Theme): void {
  theme = chosen
  localStorage.setItem('theme', chosen)
  show()
}

function show(): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
