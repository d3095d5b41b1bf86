// Browser: a real Chromium that opens addresses as documents and reports what ran there. Knows nothing of the service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { scratchDir } from '../support/running-service.ts'

/** The result of opening an address. */
export interface OpenedPage {
  /** Null if it was saved instead of shown. */
  readonly contentType: string | null
  /** Whether a script of the document, or of anything in it, set `globalThis.ran`. */
  readonly hasRun: boolean
}

/** A message of the DevTools protocol. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
}

/** One tab of a separate Chromium. */
export class Browser implements AsyncDisposable {
  readonly #closing: AsyncDisposableStack
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (message: Message) => void>()
  #sessionId: string | undefined
  #loaded = () => {}
  #lastId = 0
  /** Number of dialogs opened so far; each is closed immediately. */
  dialogs = 0

  private constructor(socket: WebSocket, closing: AsyncDisposableStack) {
    this.#socket = socket
    this.#closing = closing
    socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(String(data))))
  }

  static async start(program: string): Promise<Browser> {
    await using closing = new AsyncDisposableStack()
    const profile = closing.use(await scratchDir())
    const always = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--remote-debugging-port=0']
    const child = spawn(program, [...always, `--user-data-dir=${profile.path}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(child, 'exit')
    closing.defer(async () => {
      child.kill('SIGKILL')
      await ended
    })
    const socket = new WebSocket(await listening(child.stderr))
    await once(socket, 'open')
    const browser = new Browser(socket, closing.move())
    await browser.#open()
    return browser
  }

  /** Opens an address like a user who clicks on it, and waits until it has loaded completely. */
  async visit(url: string): Promise<OpenedPage> {
    await this.#navigate('about:blank')
    const isShown = await this.#navigate(url)
    const look = "[typeof ran !== 'undefined' && !!ran, document.contentType].join(' ')"
    const { result } = await this.#ask('Runtime.evaluate', { expression: look }).catch((error: Error) => {
      // What it shows has just opened another page.
      if (!error.message.includes('navigated')) throw error
      return { result: { value: 'true' } }
    })
    const [ran, contentType = ''] = String((result as { value?: unknown } | undefined)?.value).split(' ')
    return { hasRun: ran !== 'false', contentType: isShown ? contentType : null }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
    await this.#closing.disposeAsync()
  }

  async #open(): Promise<void> {
    const { targetId } = await this.#ask('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await this.#ask('Target.attachToTarget', { targetId, flatten: true })
    this.#sessionId = String(sessionId)
    await this.#ask('Page.enable')
    await this.#ask('Browser.setDownloadBehavior', { behavior: 'deny' })
  }

  /** False if the address was not shown. */
  async #navigate(url: string): Promise<boolean> {
    const loaded = new Promise<void>((resolve) => {
      this.#loaded = resolve
    })
    const { errorText } = await this.#ask('Page.navigate', { url })
    if (errorText !== undefined) return false
    await loaded
    return true
  }

  #ask(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    this.#lastId += 1
    const id = this.#lastId
    const session = this.#sessionId === undefined ? {} : { sessionId: this.#sessionId }
    this.#socket.send(JSON.stringify({ id, method, params, ...session }))
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result ?? {})
        else reject(new Error(`Cannot ${method}: ${error.message}`))
      })
    })
  }

  #hear(message: Message): void {
    if (message.method === 'Page.loadEventFired') this.#loaded()
    if (message.method === 'Page.javascriptDialogOpening') {
      this.dialogs += 1
      void this.#ask('Page.handleJavaScriptDialog', { accept: false }).catch(() => {})
    }
    if (message.id === undefined) return
    this.#waiting.get(message.id)?.(message)
    this.#waiting.delete(message.id)
  }
}

async function listening(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const url = /^DevTools listening on (\S+)$/.exec(line)?.[1]
    if (url !== undefined) {
      stderr.resume()
      return url
    }
  }
  throw new Error('Cannot start Chromium')
}
