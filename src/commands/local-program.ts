import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, locateDataDir } from '../config/config.ts'
import { environmentOnlySettings } from '../config/settings.ts'
import { dataFiles } from '../daemon/data-files.ts'
import type { LocalProgram } from '../mcp/runnable-commands.ts'
import { programFolder, searchPath } from '../platform/environment.ts'
import type { CommandIo } from './command.ts'
import { mainModule } from './service-connection.ts'

/** Returns how commands of the local service are run; undefined for a remote one, whose operator runs them. */
export async function localProgram(
  { baseUrl, dataDir }: Pick<Config, 'baseUrl' | 'dataDir'>,
  environment: CommandIo['environment'],
): Promise<LocalProgram | undefined> {
  if (baseUrl !== undefined) return undefined
  const { variable } = environmentOnlySettings.dataDir
  // The user's shell does not have the variable that only the client may set.
  const byDefault = locateDataDir({ environment: { ...environment, [variable]: undefined } })
  return {
    launcher: await findLauncher(),
    dataDir: dataDir === byDefault ? undefined : dataDir,
    settingsFile: join(dataDir, dataFiles.settings),
  }
}

/** From a clone, its script, which installs what is missing; else the command on the PATH, or its file. */
async function findLauncher(): Promise<readonly string[]> {
  if (mainModule.endsWith('.ts')) return ['node', join(programFolder, 'scripts', 'run.mjs')]
  const names = process.platform === 'win32' ? ['reelwright.cmd', 'reelwright.exe'] : ['reelwright']
  const candidates = searchPath().flatMap((folder) => names.map((name) => join(folder, name)))
  const found = await Promise.all(candidates.map(exists))
  return found.includes(true) ? ['reelwright'] : ['node', join(programFolder, '..', 'bin', 'reelwright.mjs')]
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}
