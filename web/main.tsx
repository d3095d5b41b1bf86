// Main: starts the page. Knows nothing of what is on it.
import { render } from 'preact'
import { App } from './app.tsx'

const root = document.getElementById('page')
if (root !== null) {
  root.replaceChildren()
  render(<App />, root)
}
