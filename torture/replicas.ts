// Replicas: kills of real processes that share the bucket of a real S3 server. Nothing acknowledged is lost, nothing
// deleted comes back, nothing is left.
import { surviveReplicaKills } from './replica-kills.ts'

/** Ends after a number of kills, or after `MINUTES` in the environment; there is no time limit by default. */
export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  const endsAt = Date.now() + Number(process.env.MINUTES ?? Number.POSITIVE_INFINITY) * 60_000
  const { kills = 0, requests, unanswered } = await surviveReplicaKills(seed, scale === 'long' ? 100 : 3, endsAt)
  return {
    'kills of real processes': kills,
    'requests to them, without a response': `${requests}, ${unanswered}`,
    'acknowledged but lost, deleted but back, left in the bucket': 0,
  }
}
