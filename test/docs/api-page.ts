// API page: the description of the routes as Markdown, as the service returns it.
import { pino } from 'pino'
import { apiText, type Block } from '../../src/http/openapi/api-markdown.ts'
import type { OpenApi } from '../../src/http/openapi/openapi.ts'
import { createHttpServer, defaultHttpOptions } from '../../src/http/server.ts'
import { createFakeService } from '../wire/fake-service.ts'

/** The content of docs/api.md. */
export async function apiPage(table: (head: readonly string[], rows: readonly (readonly string[])[]) => string) {
  const markdown = (block: Block): string => {
    if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${block.text}`
    if (block.kind === 'table') return table(block.head, block.rows)
    return block.kind === 'code' ? `\`\`\`\n${block.text}\n\`\`\`` : block.text
  }
  return apiText(await describedRoutes())
    .map(markdown)
    .join('\n\n')
}

async function describedRoutes(): Promise<OpenApi> {
  const logger = pino({ level: 'silent' })
  const server = await createHttpServer(createFakeService(), { ...defaultHttpOptions, port: 0 }, logger)
  try {
    const response = await fetch(`${server.url}/openapi.json`)
    return (await response.json()) as OpenApi // held by test/api
  } finally {
    await server.close()
  }
}
