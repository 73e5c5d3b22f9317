import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { operations } from '../../tools/index.ts'
import type { Config } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import { prepareDataFolder } from '../daemon/data-folder.ts'
import { lockDataFolder } from '../daemon/lock.ts'
import { newKey } from '../platform/hosting.ts'
import { checkReach } from './check-reach.ts'
import { startService, type RunningService, type ServiceOptions } from '../service/service.ts'

/** How long the service may take to end once its database is lost, ms. */
const lostPatienceMs = 10_000

/** A key has no account name beside it: a short one can be guessed. */
const shortestKey = 20

/** Runs the service in the foreground until it is told to end; throws why when it may not start or go on. */
export async function runInForeground(
  config: Config,
  parts: Pick<ServiceOptions, 'version' | 'worker' | 'rateLimits' | 'voices' | 'log'>,
): Promise<void> {
  const { dataDir, host, port, publicUrl, apiKey, databaseUrl, allowQueryAuthorization } = config
  const { log } = parts
  checkReach(config)
  checkKey(apiKey)
  await prepareDataFolder(dataDir)
  using held = lockDataFolder(dataDir)
  if (!held) {
    throw new MediaError(6401, `another service runs on ${dataDir}`, {
      hint: 'End it, or give this one another folder with --data-dir.',
    })
  }
  const key = apiKey ?? newKey()
  const service = await startService({
    ...parts,
    dataDir,
    instance: randomUUID(),
    key,
    operations,
    host,
    port,
    publicUrl,
    allowQueryAuthorization,
    ...(databaseUrl !== undefined && { database: { url: databaseUrl } }),
    exitIfIdle: async () => false,
  })
  process.stdout.write(`listening on http://${host}:${service.port}\n`)
  if (apiKey === undefined) process.stdout.write(`API key of this run: ${key}\n`)
  const lost = await untilEnd(service)
  if (lost) {
    log.error({ err: lost }, 'the service ends')
    // What waits for a database that fell silent must not keep it.
    setTimeout(() => process.exit(1), lostPatienceMs).unref()
  }
  await service.close()
  if (lost) throw lost
}

function checkKey(key: string | undefined): void {
  if (key === undefined || key.length >= shortestKey) return
  throw new MediaError(6016, `REELWRIGHT_API_KEY (api_key) has fewer than ${shortestKey} characters`, {
    hint:
      'Set a long, random one, such as of `openssl rand -hex 32`, or leave it out: then each run makes one. ' +
      'Keys of clients are made by `reelwright keys create`.',
  })
}

/** Waits for a signal to end, or for the reason why the service may not go on. */
async function untilEnd({ lost }: RunningService): Promise<MediaError | null> {
  const told = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  return await Promise.race([told.then(() => null), lost])
}
