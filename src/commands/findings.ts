import { homedir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import type { Finding } from '../doctor/finding.ts'
import { packageVersion } from '../platform/environment.ts'

/** Where results go when no folder is set; made on first use. */
export const defaultWorkspace = join(homedir(), 'Reelwright')

/** Looks at all that is needed here, as far as the settings can be read. */
export async function findingsOf(dataDirOption: string | undefined): Promise<Finding[]> {
  const [
    { examine, examineSettings },
    { findIgnoredSettings: ignoredByService },
    { operations },
    { applyEngineSettings: beAsTold },
    { manifest },
  ] = await Promise.all([
    import('../doctor/examine.ts'),
    import('../config/ignored-settings.ts'),
    import('../../tools/index.ts'),
    import('../service/engine-settings.ts'),
    import('../engines/packs/manifest.ts'),
  ])
  const version = await packageVersion()
  try {
    const config = await readConfig({ dataDir: dataDirOption })
    const { dataDir, workspace, projectDir, allowedDirs, baseUrl, apiKey } = config
    // The local service knows only its file.
    const local = await readConfig({ dataDir, environment: {} })
    beAsTold(local)
    return await examine({
      version,
      dataDir,
      folders: [workspace, projectDir, ...allowedDirs].filter((folder) => folder !== undefined),
      defaultWorkspace,
      baseUrl,
      apiKey,
      ffmpeg: local.ffmpeg,
      packs: { ...local.packs, manifest },
      services: local.services,
      operations,
      ignored: await ignoredByService(dataDir),
    })
  } catch (error) {
    if (error instanceof MediaError && error.code === 6016) return examineSettings(version, error)
    throw error
  }
}
