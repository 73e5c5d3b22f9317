import { readConfig } from '../config/config.ts'
import { defaultWorkspace } from '../config/settings.ts'
import { MediaError } from '../contract/errors.ts'
import type { Finding } from '../doctor/finding.ts'
import { packageVersion } from '../platform/environment.ts'
import { runnableTexts } from '../mcp/runnable-commands.ts'
import type { Command, CommandCall } from './command.ts'
import { localProgram } from './local-program.ts'

export const doctor: Command = {
  summary: 'report what is installed, and the command that installs what is missing',
  options: { json: { type: 'boolean' } },
  help: [['--json', 'print JSON']],
  async run(call) {
    const { io, values } = call
    const { describeFindings } = await import('../doctor/finding.ts')
    const findings = await collectFindings(call)
    io.stdout.write(values.json ? `${JSON.stringify(findings, null, 2)}\n` : describeFindings(findings))
    return findings.some(({ state }) => state === 'missing') ? 1 : 0
  },
}

/** Examines everything reelwright needs on this machine; invalid settings are a finding of their own. */
export async function collectFindings({ values, io }: CommandCall): Promise<Finding[]> {
  const [
    { examine, examineSettings },
    { findIgnoredSettings },
    { operations },
    { applyEngineSettings },
    { manifest },
    { chooseAnswerer },
  ] = await Promise.all([
    import('../doctor/examine.ts'),
    import('../config/ignored-settings.ts'),
    import('../../tools/index.ts'),
    import('../service/engine-settings.ts'),
    import('../engines/packs/manifest.ts'),
    import('../engines/language-model/choose-answerer.ts'),
  ])
  const version = await packageVersion()
  const { environment } = io
  try {
    const config = await readConfig({ dataDir: values['data-dir'], environment })
    const { dataDir, workspace, projectDir, allowedDirs, baseUrl, apiKey } = config
    // The local service reads its settings from its file alone.
    const local = await readConfig({ dataDir, environment: {} })
    applyEngineSettings(local)
    const findings = await examine({
      version,
      dataDir,
      folders: [...new Set([workspace, projectDir, ...allowedDirs])].filter((folder) => folder !== undefined),
      defaultWorkspace,
      baseUrl,
      apiKey,
      ffmpeg: local.ffmpeg,
      packs: { ...local.packs, manifest },
      services: local.services,
      answersBy: chooseAnswerer(local, true),
      operations,
      ignored: await findIgnoredSettings(dataDir, environment),
    })
    return values['data-dir'] === undefined ? findings : await withDataDir(findings, dataDir, io)
  } catch (error) {
    if (error instanceof MediaError && error.code === 6016) return examineSettings(version, error)
    throw error
  }
}

/** Findings whose commands name the data folder. */
async function withDataDir(
  findings: readonly Finding[],
  dataDir: string,
  { environment }: CommandCall['io'],
): Promise<Finding[]> {
  const program = await localProgram({ baseUrl: undefined, dataDir }, environment)
  // The option is written also for the default folder: the variable of this shell may name another one.
  const rewrite = program && runnableTexts({ ...program, dataDir })
  return findings.map((finding) =>
    rewrite && finding.fix !== undefined ? { ...finding, fix: rewrite(finding.fix) } : finding,
  )
}
