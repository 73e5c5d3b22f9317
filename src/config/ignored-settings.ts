import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readExplicitSettings, type Environment } from './config.ts'
import { dataFiles } from '../daemon/data-files.ts'
import { settingDescriptions, defaults } from './settings.ts'

/** Settings that only the service uses. The local service reads them from its file alone, as it serves many clients. */
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
  'embedding',
  'embedding_key',
] as const

/** A variable of this environment that the local service does not read. */
export interface IgnoredSetting {
  readonly name: (typeof serviceSettings)[number]
  readonly detail: string
  /** How to set it for the local service. */
  readonly fix: string
}

/** Lists service settings of this environment that differ from those in the file, which alone the local service reads. */
export async function findIgnoredSettings(
  dataDir: string,
  environment: Environment,
): Promise<IgnoredSetting[]> {
  const [explicit, local] = await Promise.all([
    readExplicitSettings({ dataDir, environment }),
    readExplicitSettings({ dataDir, environment: {} }),
  ])
  const [here, there] = [
    { ...defaults, ...explicit },
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
          `${variable} applies to reelwright serve, but not to the local service, which reads "${name}" from ` +
          `${file} when it starts`,
        fix: `set "${name}" in ${file}`,
      }
    })
}
