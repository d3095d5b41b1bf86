// Docs assets: what scripts/build-web.mjs has made for the page of the routes: its script, its style, and the list of errors.
import { readFileSync } from 'node:fs'

/** An error as docs/errors.md explains it; texts are Markdown with nothing but `code` in it. */
export interface ErrorRow {
  readonly code: string
  readonly status: string
  readonly exception: string
  readonly message: string
  readonly advice: string
}

export interface DocsAssets {
  /** Paths on this server. */
  readonly script: string
  readonly style: string
  readonly errors: readonly ErrorRow[]
}

/** Needs build/web. */
export function readDocsAssets(): DocsAssets {
  // Written by scripts/build-web.mjs in this shape.
  return JSON.parse(readFileSync(new URL('../../../build/web/docs.json', import.meta.url), 'utf8')) as DocsAssets
}
