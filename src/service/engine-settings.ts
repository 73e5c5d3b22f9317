import { type Config, takeWorkerServices, workerEnvironment } from '../config/config.ts'
import { setFfmpeg } from '../engines/ffmpeg/locate.ts'
import { manifest } from '../engines/packs/manifest.ts'
import { type Packs, packSettings, type PackSettings } from '../engines/packs/store.ts'
import { configurePacks } from '../engines/packs/resolve.ts'
import type { Services } from '../engines/services/services.ts'
import { configureServices } from '../engines/services/configured.ts'
import type { ServiceOptions } from './service.ts'

/** What the command line of a worker tells it of its supervisor's settings. */
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

/** What starts a worker, and what the settings say of limits and voices; this process is as told from then on. */
export function serviceOptionsFromConfig(
  { ffmpeg, packs, services, rateLimits, voices, storageQuota }: Config,
  module: string,
): Pick<ServiceOptions, 'worker' | 'rateLimits' | 'voices' | 'storageQuota'> {
  const told = { ...(ffmpeg !== undefined && { ffmpeg }), packs: JSON.stringify(packs) }
  applyEngineSettings({ ffmpeg, packs, services })
  const args = Object.entries(told).flatMap(([name, value]) => [`--${name}`, value])
  const worker = { module, args: ['worker', ...args], environment: workerEnvironment(services) }
  return { worker, rateLimits, voices, storageQuota }
}

/** Does attempts for the supervisor that forked this process. */
export async function runWorkerProcess(told: WorkerProcessOptions): Promise<void> {
  const [{ runWorker }, { operations }] = await Promise.all([
    import('../tasks/worker.ts'),
    import('../../tools/index.ts'),
  ])
  const { ffmpeg, packs } = told
  const settings = packs === undefined ? undefined : packSettings.parse(JSON.parse(packs))
  applyEngineSettings({ ffmpeg, packs: settings, services: takeWorkerServices() })
  runWorker(operations)
}

/** Remembers where ffmpeg, packs and services are. */
export function applyEngineSettings({ ffmpeg, packs, services = {} }: EngineSettings): void {
  configureServices(services)
  if (ffmpeg !== undefined) setFfmpeg(ffmpeg)
  if (packs !== undefined) configurePacks({ manifest, ...packs })
}
