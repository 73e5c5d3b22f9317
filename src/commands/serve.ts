import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readConfig, type Config } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import { packageVersion } from '../platform/environment.ts'
import type { RunningService, ServiceOptions } from '../service/service.ts'
import {
  checkListenAddress,
  openCommandLog,
  parsePort,
  warnOfReadableSettings,
  type Command,
  type CommandCall,
  type CommandIo,
} from './command.ts'
import { mainModule } from './service-connection.ts'

export const serve: Command = {
  summary: 'run the media service in the foreground, with an address and key of your choice',
  options: { host: { type: 'string' }, port: { type: 'string' }, 'public-url': { type: 'string' } },
  help: [
    ['--host <address>', 'address to listen on (127.0.0.1); another needs --public-url'],
    ['--port <number>', 'port to listen on (8787); 0 picks a free one'],
    ['--public-url <url>', 'https address of the TLS proxy in front, which clients use'],
  ],
  run: runServe,
}

/** How long the service may take to close once it has lost its database, ms. */
const lostCloseTimeoutMs = 10_000

/** A key is sent without an account name, so a short one could be guessed. */
const minKeyLength = 20

async function runServe({ values, io }: CommandCall): Promise<void> {
  const options = { host: values.host, port: parsePort(values), public_url: values['public-url'] }
  const config = await readConfig({ dataDir: values['data-dir'], options, environment: io.environment })
  const { serviceOptionsFromConfig } = await import('../service/engine-settings.ts')
  const log = await openCommandLog(config)
  await warnOfReadableSettings(config.dataDir, log)
  const service = { version: await packageVersion(), log, ...serviceOptionsFromConfig(config, mainModule) }
  await runInForeground(config, service, io)
}

/** Runs the service until SIGINT or SIGTERM. Throws when it cannot start or has lost its database. */
async function runInForeground(
  config: Config,
  options: Pick<ServiceOptions, 'version' | 'worker' | 'rateLimits' | 'connectionLimits' | 'voices' | 'log'>,
  { stdout }: CommandIo,
): Promise<void> {
  const { dataDir, host, port, publicUrl, apiKey, databaseUrl, allowQueryAuthorization } = config
  const { log } = options
  checkListenAddress(config)
  checkKey(apiKey)
  const [{ operations }, { prepareDataFolder }, { lockDataFolder }, { newKey }, { startService }] =
    await Promise.all([
      import('../../tools/index.ts'),
      import('../daemon/data-folder.ts'),
      import('../daemon/lock.ts'),
      import('../platform/hosting.ts'),
      import('../service/service.ts'),
    ])
  await prepareDataFolder(dataDir)
  using lock = lockDataFolder(dataDir)
  if (!lock) {
    throw new MediaError(6401, `another service runs on ${dataDir}`, {
      hint: 'Stop it, or choose another folder for this one with --data-dir.',
    })
  }
  const key = apiKey ?? newKey()
  const service = await startService({
    ...options,
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
  stdout.write(`listening on http://${host}:${service.port}\n`)
  if (apiKey === undefined) stdout.write(`API key of this run: ${key}\n`)
  const lost = await waitForEnd(service)
  if (lost) {
    log.error({ err: lost }, 'the service stops because it lost its database')
    // Requests that wait for a silent database must not keep the process.
    setTimeout(() => process.exit(1), lostCloseTimeoutMs).unref()
  }
  await service.close()
  if (lost) throw lost
}

function checkKey(key: string | undefined): void {
  if (key === undefined || key.length >= minKeyLength) return
  throw new MediaError(6016, `REELWRIGHT_API_KEY (api_key) has fewer than ${minKeyLength} characters`, {
    hint:
      'Set a long random key, for example from `openssl rand -hex 32`, or unset it: then each run creates its own. ' +
      'Create keys for clients with `reelwright keys create`.',
  })
}

/** Waits for SIGINT or SIGTERM (null), or returns the error with which the database was lost. */
async function waitForEnd({ lost }: RunningService): Promise<MediaError | null> {
  const signalled = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  return await Promise.race([signalled.then(() => null), lost])
}
