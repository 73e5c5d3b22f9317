import { stat } from 'node:fs/promises'
import { homedir, hostname, tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { findingsOf } from './findings.ts'
import {
  locateDataDir,
  readConfig,
  readExplicitSettings,
  configSecrets,
  definedVariables,
  type Config,
} from '../config/config.ts'
import type { PrivateData } from '../doctor/redact-report.ts'
import { createReport, writeReport } from '../doctor/report.ts'
import { stripDialect } from '../engines/services/address.ts'
import { registerSecret } from '../platform/log.ts'
import { packageVersion } from '../platform/environment.ts'

interface Options {
  readonly dataDir?: string | undefined
  readonly output?: string | undefined
  readonly withNames?: boolean | undefined
}

/** Writes what helps to find a fault into one text, without secrets, and tells where it lies and what it holds. */
export async function diagnostics({ dataDir, output, withNames = false }: Options): Promise<void> {
  // What is wrong with settings that cannot be read is among the findings.
  const config = await readConfig({ dataDir }).catch(() => undefined)
  if (config) configSecrets(config).forEach(registerSecret)
  const folder = locateDataDir({ dataDir })
  const sections = await createReport({
    version: await packageVersion(),
    dataDir: folder,
    findings: await findingsOf(dataDir),
    settings: config && { ...(await readExplicitSettings({ dataDir })) },
    variables: definedVariables(),
    service:
      config?.baseUrl === undefined ? undefined : { baseUrl: config.baseUrl, apiKey: config.apiKey ?? '' },
    privacy: privacyOf(folder, config),
    withNames,
  })
  const path = resolve(
    output ?? `reelwright-diagnostics-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.txt`,
  )
  await writeReport(path, sections)
  const { size } = await stat(path)
  process.stdout.write(
    [
      `${path} (${Math.ceil(size / 1024)} KiB) holds:`,
      ...sections.map(({ title }) => `  ${title}`),
      withNames
        ? 'Keys and passwords are left out; names of files and folders are in it.'
        : 'Keys, passwords, and the names of files, folders and people are left out.',
      'Read it before you send it.',
      '',
    ].join('\n'),
  )
}

function privacyOf(dataDir: string, config: Config | undefined): PrivateData {
  const {
    workspace,
    projectDir,
    allowedDirs = [],
    ffmpeg,
    packs,
    services = {},
    baseUrl,
    databaseUrl,
    publicUrl,
  } = config ?? {}
  const folders: readonly (readonly [string | undefined, string])[] = [
    [process.cwd(), '<current folder>'],
    [projectDir, '<project>'],
    [workspace, '<workspace>'],
    ...allowedDirs.map((folder) => [folder, '<allowed folder>'] as const),
    [ffmpeg, '<ffmpeg>'],
    [packs?.mirror, '<mirror>'],
    [services.voice_service?.folder, '<voice folder>'],
    ...Object.values(packs?.own ?? {}).map((model) => [model?.path, '<model>'] as const),
    [tmpdir(), '<temporary folder>'],
    [homedir(), '~'],
    [join(import.meta.dirname, '..', '..'), '<reelwright>'],
    [dataDir, '<data folder>'],
  ]
  const addresses = Object.values(services).map((service) => service && stripDialect(service.address))
  const hosts = [baseUrl, databaseUrl, publicUrl, ...addresses].flatMap((url) =>
    url === undefined ? [] : [new URL(url).hostname],
  )
  return {
    places: folders.flatMap(([path, placeholder]) =>
      path === undefined ? [] : [[path, placeholder] as const],
    ),
    words: [
      [userName(), '<user>'],
      [hostname(), '<machine>'],
      ...hosts.map((host) => [host, '<host>'] as const),
    ],
  }
}

/** Empty for a user that the system knows by number only. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
