// Metrics route: the metrics of the service, for Prometheus.
import type { Meter } from '../../core/meter.ts'
import type { App } from '../app.ts'
import { failures } from '../openapi/operation.ts'
import { noQuery } from '../openapi/request-schemas.ts'

export function addMetricsRoute(app: App, meter: Meter): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    config: { isForAnyHost: true },
    schema: {
      operationId: 'getMetrics',
      tags: ['service'],
      summary: 'Get the metrics of the service',
      description: 'In the text format of Prometheus. No metric reveals the name or the content of a file.',
      querystring: noQuery,
      response: {
        200: { description: 'All metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...failures('BAD_PARAMETER'),
      },
    },
    handler: async (_request, reply) => reply.type(meter.mediaType).send(await meter.text()),
  })
}
