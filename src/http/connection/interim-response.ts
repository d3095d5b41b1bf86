// Interim response: writes 104 (Upload Resumption Supported), which Node cannot. The one place that writes a head by hand before the response.
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Informs a client that it can resume its upload (draft-ietf-httpbis-resumable-upload, section 5). The requests of a
 * connection are handled one after the other, so nothing else is being written. HTTP/1.0 has no interim responses, and
 * where a host app speaks HTTP/2, the final response tells the client the same.
 */
export function writeResumptionSupported(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): void {
  const { socket } = request
  if (request.httpVersion !== '1.1' || response.headersSent || socket === null || !socket.writable) return
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 104 Upload Resumption Supported\r\n${lines.join('')}\r\n`, 'latin1')
}
