// Caller route: who the service takes the caller for, what the caller may do, and what the quota leaves. Does not know keys.
import Type from 'typebox'
import { scopes } from '../../access/access.ts'
import type { App } from '../app.ts'
import { sendJson } from '../exchange/send.ts'
import { failures, json } from '../openapi/operation.ts'
import { noQuery } from '../openapi/request-schemas.ts'
import { count, oneOf, orNull } from '../openapi/shared-schemas.ts'

const maximum = orNull(Type.Integer(), 'Null for no limit.')

const quota = Type.Object(
  { used: count('What is stored.'), max: maximum },
  { $id: 'Quota', description: 'Storage of one owner: bytes of originals and data, or datasets.' },
)

const callerAnswer = Type.Object(
  {
    name: orNull(Type.String(), 'Name of the key or token. Null without authentication.'),
    owner: orNull(Type.String(), 'Owner of the datasets that the caller sees. Null without authentication.'),
    scopes: Type.Array(oneOf(scopes, 'A scope.'), { description: 'What the caller may do.' }),
    expiresAt: orNull(
      Type.Integer(),
      'When the key or token expires, in milliseconds since 1970-01-01 UTC. Null for never.',
    ),
    bytes: quota,
    datasets: quota,
    limits: Type.Object(
      {
        fileBytesMax: count('Bytes of a file.'),
        requestBytesMax: count('Bytes of a request body.'),
        uploadsMax: count('Uploads at once.'),
        requestsPerMinuteMax: maximum,
        keepMs: orNull(Type.Integer(), 'Milliseconds until a dataset is deleted. Null for never.'),
      },
      { description: 'Limits for this caller.' },
    ),
  },
  { $id: 'Caller', description: 'The sender of this request.' },
)

export interface CallerRouteOptions {
  /** Infinity for no limit. */
  readonly requestsPerMinuteMax: number
}

export function addCallerRoute(app: App, { requestsPerMinuteMax }: CallerRouteOptions): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/qas/caller',
    // The holder of a key may ask what it allows.
    config: { scope: 'any' },
    schema: {
      operationId: 'getCaller',
      tags: ['service'],
      summary: 'Get what the caller may do',
      description: 'The scopes and limits of the key or token of this request, and what its owner stores.',
      querystring: noQuery,
      response: { 200: json('The caller.', callerAnswer), ...failures('BAD_PARAMETER') },
    },
    handler: async ({ caller, service }, reply) => {
      const { bytes, datasets, keepMs, ...limits } = service.allowance()
      const isKnown = caller.owner !== ''
      return sendJson(reply, {
        name: isKnown ? caller.name : null,
        owner: isKnown ? caller.owner : null,
        scopes: [...caller.scopes],
        expiresAt: caller.expiresAtMs,
        bytes: finite(bytes),
        datasets: finite(datasets),
        limits: finite({ ...limits, requestsPerMinuteMax, keepMs }),
      })
    },
  })
}

/** JSON has no number for “no limit”. */
function finite(figures: Readonly<Record<string, number>>): Readonly<Record<string, number | null>> {
  const entries = Object.entries(figures).map(([name, value]) => [name, Number.isFinite(value) ? value : null])
  return Object.fromEntries(entries)
}
