import { join } from 'node:path'
import type { Connection } from '../client/client.ts'
import type { Config } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import type { ServiceAddress } from '../doctor/service-state.ts'
import type { ServiceConnector } from '../mcp/service-connector.ts'
import type { CommandIo } from './command.ts'

/** The program itself, for child processes. */
export const mainModule = join(
  import.meta.dirname,
  '..',
  import.meta.filename.endsWith('.ts') ? 'main.ts' : 'main.js',
)

/** How a command of this machine reaches its service. */
export interface ServiceAccess {
  readonly config: Config
  /** Version of this program. */
  readonly version: string
  readonly environment: CommandIo['environment']
}

/** Returns the address of the configured service, or of the local one, which is started when it does not run. */
export async function serviceAddress({
  config: { dataDir, baseUrl, apiKey },
  version,
  environment,
}: ServiceAccess): Promise<ServiceAddress> {
  if (baseUrl === undefined) {
    const { findOrStartDaemon } = await import('../daemon/find-or-start.ts')
    const command = [process.execPath, mainModule, 'daemon', '--data-dir', dataDir]
    return await findOrStartDaemon({ dataDir, version, command, environment })
  }
  if (apiKey !== undefined) return { baseUrl, apiKey }
  throw new MediaError(6502, `${baseUrl} needs an API key`, {
    hint: 'Set REELWRIGHT_API_KEY, or api_key in reelwright.config.json.',
  })
}

/**
 * Connects to the service that `serviceAddress` returns, with its own key or another. `find` connects to a local
 * service without starting one.
 */
export function serviceConnector(access: ServiceAccess, key?: string): ServiceConnector {
  const { config } = access
  const client = async (address: ServiceAddress): Promise<Connection> =>
    (await import('../client/client.ts')).createClient({
      ...address,
      ...(key !== undefined && { apiKey: key }),
    })
  const keyed = { ...access, config: { ...config, apiKey: key ?? config.apiKey } }
  const connect = async () => await client(await serviceAddress(keyed))
  if (config.baseUrl !== undefined) return { connect }
  return {
    connect,
    async find() {
      const { findDaemon } = await import('../daemon/find-or-start.ts')
      const found = await findDaemon(config.dataDir)
      return found && (await client(found))
    },
  }
}
