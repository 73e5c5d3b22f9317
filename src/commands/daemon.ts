import { locateDataDir, readConfig } from '../config/config.ts'
import { packageVersion } from '../platform/environment.ts'
import { openCommandLog, type Command, type CommandCall } from './command.ts'
import { mainModule } from './service-connection.ts'

/** Runs the local service of a data folder; started by the first client, hidden from the help. */
export const daemon: Command = { run: runDaemonCommand }

async function runDaemonCommand({ values }: CommandCall): Promise<number> {
  // It serves many clients, so the environment of the one that started it must not count.
  const source = { dataDir: values['data-dir'], environment: {} }
  const { watchSettingsFile } = await import('../daemon/auto-exit.ts')
  const isChanged = await watchSettingsFile(locateDataDir(source))
  const config = await readConfig(source)
  const [
    { prepareDataFolder, readableSettings },
    { daemonLogPath },
    { runDaemon },
    { startService },
    { serviceOptionsFromConfig },
    { operations },
  ] = await Promise.all([
    import('../daemon/data-folder.ts'),
    import('../daemon/launch.ts'),
    import('../daemon/run-daemon.ts'),
    import('../service/service.ts'),
    import('../service/engine-settings.ts'),
    import('../../tools/index.ts'),
  ])
  const readable = await readableSettings(config.dataDir)
  await prepareDataFolder(config.dataDir)
  const log = await openCommandLog(config, daemonLogPath(config.dataDir))
  if (readable) log.warn(`${readable.detail}. Fix: ${readable.fix}`)
  return await runDaemon({
    dataDir: config.dataDir,
    version: await packageVersion(),
    log,
    // Invalid settings do not count as outdated (this throws): the next daemon could not start with them.
    isOutdated: async () => (await isChanged()) && (await readConfig(source)) !== undefined,
    startService: async (host) =>
      startService({
        ...host,
        ...serviceOptionsFromConfig(config, mainModule),
        operations,
        log,
        dataDir: config.dataDir,
        localImport: true,
      }),
  })
}
