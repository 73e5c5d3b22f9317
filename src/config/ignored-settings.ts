import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readExplicitSettings } from './config.ts'
import { dataFiles } from '../daemon/data-files.ts'
import { settingDescriptions, defaults } from './settings.ts'

/** What only the service uses, and the local one reads from its file alone: it serves more than this client. */
const serviceSettings = [
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
export interface IgnoredSetting {
  readonly name: (typeof serviceSettings)[number]
  readonly detail: string
  /** The setting that counts. */
  readonly fix: string
}

/** Variables that this environment sets for the service, where the local one has another value. */
export async function findIgnoredSettings(dataDir: string): Promise<IgnoredSetting[]> {
  const [given, local] = await Promise.all([
    readExplicitSettings({ dataDir }),
    readExplicitSettings({ dataDir, environment: {} }),
  ])
  const [here, there] = [
    { ...defaults, ...given },
    { ...defaults, ...local },
  ]
  return serviceSettings
    .filter((name) => !isDeepStrictEqual(here[name], there[name]))
    .map((name) => {
      const variable = settingDescriptions.find((setting) => setting.name === name)?.variable ?? name
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
