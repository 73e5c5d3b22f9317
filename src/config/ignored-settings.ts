import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readGiven } from './config.ts'
import { dataFiles } from '../daemon/data-files.ts'
import { aboutSettings, defaults } from './settings.ts'

/** What only the service uses, and the local one reads from its file alone: it serves more than this client. */
const readByService = [
  'ffmpeg',
  'models_mirror',
  'pull_models',
  'language_model',
  'language_model_key',
  'transcription',
  'transcription_key',
  'voice_service',
  'voice_service_key',
] as const

/** A variable here that does not count for the local service. */
export interface Ignored {
  readonly name: (typeof readByService)[number]
  readonly detail: string
  /** The setting that counts. */
  readonly fix: string
}

/** Variables that this environment sets for the service, where the local one has another value. */
export async function ignoredByService(dataDir: string): Promise<Ignored[]> {
  const [given, local] = await Promise.all([readGiven({ dataDir }), readGiven({ dataDir, environment: {} })])
  const [here, there] = [
    { ...defaults, ...given },
    { ...defaults, ...local },
  ]
  return readByService
    .filter((name) => !isDeepStrictEqual(here[name], there[name]))
    .map((name) => {
      const variable = aboutSettings.find((setting) => setting.name === name)?.variable ?? name
      const file = join(dataDir, dataFiles.settings)
      return {
        name,
        detail:
          `${variable} counts for reelwright serve, but not for the local service, which reads "${name}" from ` +
          `${file} as it starts`,
        fix: `set "${name}" in ${file}`,
      }
    })
}
