import { stat } from 'node:fs/promises'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import {
  configSecrets,
  definedVariables,
  locateDataDir,
  readConfig,
  readExplicitSettings,
  type Config,
} from '../config/config.ts'
import type { PrivateData } from '../doctor/redact-report.ts'
import { homeFolder, packageVersion } from '../platform/environment.ts'
import type { Command, CommandCall } from './command.ts'
import { collectFindings } from './doctor.ts'

export const diagnostics: Command = {
  summary: 'write a diagnostic report for bug reports, without secrets, for you to read and send',
  options: { output: { type: 'string' }, 'with-names': { type: 'boolean' } },
  help: [
    ['--output <file>', 'file to write; by default a new one in the current folder'],
    ['--with-names', 'keep the names of files and folders'],
  ],
  run: writeDiagnostics,
}

async function writeDiagnostics(call: CommandCall): Promise<void> {
  const [{ createReport, writeReport }, { registerSecret }] = await Promise.all([
    import('../doctor/report.ts'),
    import('../platform/log.ts'),
  ])
  const { environment, stdout } = call.io
  const { output, 'with-names': withNames = false } = call.values
  const source = { dataDir: call.values['data-dir'], environment }
  // The findings report why settings cannot be read.
  const config = await readConfig(source).catch(() => undefined)
  if (config) configSecrets(config).forEach(registerSecret)
  const dataDir = locateDataDir(source)
  const sections = await createReport({
    version: await packageVersion(),
    dataDir,
    findings: await collectFindings(call),
    settings: config && { ...(await readExplicitSettings(source)) },
    variables: definedVariables(environment),
    service:
      config?.baseUrl === undefined ? undefined : { baseUrl: config.baseUrl, apiKey: config.apiKey ?? '' },
    privacy: await privateData(dataDir, config),
    withNames,
  })
  const path = resolve(
    output ?? `reelwright-diagnostics-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.txt`,
  )
  await writeReport(path, sections)
  const { size } = await stat(path)
  stdout.write(
    [
      `${path} (${Math.ceil(size / 1024)} KiB) contains:`,
      ...sections.map(({ title }) => `  ${title}`),
      withNames
        ? 'Keys and passwords are removed; names of files and folders are included.'
        : 'Keys, passwords, and the names of files, folders and people are removed.',
      'Read it before you send it.',
      '',
    ].join('\n'),
  )
}

/** Folders, hosts and names of this machine, with the placeholders that replace them in the report. */
async function privateData(dataDir: string, config: Config | undefined): Promise<PrivateData> {
  const { allServices, stripDialect } = await import('../engines/services/services.ts')
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
    ...(services.voices ?? []).map(({ recording }) => [recording?.path, '<voice recording>'] as const),
    ...Object.values(packs?.own ?? {}).map((model) => [model?.path, '<model>'] as const),
    [tmpdir(), '<temporary folder>'],
    [homeFolder(), '~'],
    [join(import.meta.dirname, '..', '..'), '<reelwright>'],
    [dataDir, '<data folder>'],
  ]
  const addresses = allServices(services).map(({ address }) => stripDialect(address))
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

/** Name of the current user; empty for one without an entry in the user database. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
