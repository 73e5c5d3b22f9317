import { type Config, takeWorkerServices, workerEnvironment } from '../config/config.ts'
import { privateFolders } from '../config/private-folders.ts'
import { setFfmpeg } from '../engines/ffmpeg/locate.ts'
import { manifest } from '../engines/packs/manifest.ts'
import { type Packs, packSettings, type PackSettings } from '../engines/packs/store.ts'
import { configurePacks } from '../engines/packs/resolve.ts'
import type { Services } from '../engines/services/services.ts'
import { configureServices } from '../engines/services/configured.ts'
import { narrowFolder } from '../platform/private-folders.ts'
import type { ServiceOptions } from './service.ts'

/** Settings of the service that its workers receive on their command line. */
export interface WorkerProcessOptions {
  readonly ffmpeg?: string | undefined
  /** As JSON. */
  readonly packs?: string | undefined
}

interface EngineSettings {
  readonly ffmpeg?: string | undefined
  readonly packs?: PackSettings | Packs | undefined
  readonly services?: Services
}

/** Options of a service from the settings: its worker command, limits and voices. Applies the engine settings here too. */
export function serviceOptionsFromConfig(
  config: Config,
  module: string,
): Pick<
  ServiceOptions,
  | 'worker'
  | 'rateLimits'
  | 'connectionLimits'
  | 'voices'
  | 'agentAnswers'
  | 'questionTimeoutMs'
  | 'storageQuota'
  | 'privateFolders'
  | 'queuedPerKey'
  | 'runningPerKey'
> {
  const { ffmpeg, packs, services, voices, agentAnswers, questionTimeoutMs } = config
  const options = { ...(ffmpeg !== undefined && { ffmpeg }), packs: JSON.stringify(packs) }
  applyEngineSettings({ ffmpeg, packs, services })
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const worker = { module, args: ['worker', ...args], environment: workerEnvironment(services) }
  const { rateLimits, connectionLimits, storageQuota, queuedPerKey, runningPerKey } = config
  const limits = { rateLimits, connectionLimits, storageQuota, queuedPerKey, runningPerKey }
  return {
    worker,
    voices,
    agentAnswers,
    questionTimeoutMs,
    ...limits,
    // Which folders agents use is known to their own side only, which refuses the folders of models as a whole.
    privateFolders: privateFolders(config).map(narrowFolder),
  }
}

/** Runs task attempts for the service that started this process. */
export async function runWorkerProcess({ ffmpeg, packs }: WorkerProcessOptions): Promise<void> {
  const [{ runWorker }, { operations }] = await Promise.all([
    import('../tasks/worker.ts'),
    import('../../tools/index.ts'),
  ])
  const settings = packs === undefined ? undefined : packSettings.parse(JSON.parse(packs))
  applyEngineSettings({ ffmpeg, packs: settings, services: takeWorkerServices() })
  runWorker(operations)
}

/** Configures the locations of ffmpeg, packs and services for this process. */
export function applyEngineSettings({ ffmpeg, packs, services = {} }: EngineSettings): void {
  configureServices(services)
  if (ffmpeg !== undefined) setFfmpeg(ffmpeg)
  if (packs !== undefined) configurePacks({ manifest, ...packs })
}
