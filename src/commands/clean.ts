import { readConfig } from '../config/config.ts'
import { retentionDays } from '../contract/file.ts'
import { packageVersion } from '../platform/environment.ts'
import { parseDays, type Command, type CommandCall } from './command.ts'
import { serviceConnector } from './service-connection.ts'

export const clean: Command = {
  summary: 'free space: remove expired files, or all older than --keep-days',
  options: { 'keep-days': { type: 'string' } },
  help: [
    ['--keep-days <days>', `keep files uploaded, used or created within so many days (${retentionDays})`],
  ],
  run: removeOldFiles,
}

async function removeOldFiles({ values, io }: CommandCall): Promise<void> {
  const keepDays = parseDays('--keep-days', values['keep-days'], { min: 0, max: retentionDays })
  const { environment } = io
  const [{ routes }, { describeSize }, config, version] = await Promise.all([
    import('../contract/routes.ts'),
    import('../contract/format.ts'),
    readConfig({ dataDir: values['data-dir'], environment }),
    packageVersion(),
  ])
  const client = await serviceConnector({ config, version, environment }).connect()
  const freed = await client.call(routes.cleanFiles, { body: { keep_days: keepDays } })
  const { storage } = await client.call(routes.capabilities)
  await client.close()
  const files = freed.files === 1 ? '1 file' : `${freed.files} files`
  const left = storage ? `; ${describeSize(storage.used_bytes)} still in use` : ''
  io.stdout.write(`Removed ${files}, freed ${describeSize(freed.bytes)}${left}\n`)
}
