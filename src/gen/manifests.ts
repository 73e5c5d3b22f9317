import type { Operation } from '../contract/operation.ts'
import { allTools } from '../mcp/tool-selection.ts'
import { settingDescriptions } from '../config/settings.ts'

/** Fields of package.json that the manifests repeat. */
export interface Package {
  readonly name: string
  /** Name in the registry of MCP servers: reversed domain and server name. */
  readonly mcpName: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines: { readonly node: string }
}

const title = 'Reelwright'

/** Settings that a client can set when it starts the server, in the order of its dialog. */
const clientSettings = [
  { name: 'workspace', format: 'filepath' },
  { name: 'allowed_dirs', format: 'string' },
  { name: 'base_url', format: 'string' },
  { name: 'api_key', format: 'string', isSecret: true },
  { name: 'toolsets', format: 'string' },
  { name: 'tools', format: 'string' },
  { name: 'read_only', format: 'boolean' },
  { name: 'confirm_above_credits', format: 'number' },
] as const
type ClientSetting = (typeof clientSettings)[number]['name']

function settingVariable(name: ClientSetting): { readonly variable: string; readonly meaning: string } {
  const setting = settingDescriptions.find((each) => each.name === name)
  if (setting?.variable === undefined) throw new TypeError(`the setting ${name} has no variable`)
  return { variable: setting.variable, meaning: setting.meaning.replaceAll('`', '') }
}

/** `server.json`: how clients of MCP registries start this server. */
export function registryManifest(pack: Package): unknown {
  const { name: identifier, mcpName: name, version, description } = pack
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    title,
    description,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: clientSettings.map(({ name: setting, ...rest }) => {
          const { variable, meaning } = settingVariable(setting)
          return { name: variable, description: meaning, isRequired: false, ...rest }
        }),
      },
    ],
  }
}

/** Settings in the dialog of desktop clients. */
const dialogSettings = {
  workspace: { type: 'directory', title: 'Workspace', default: '${HOME}/Reelwright' },
  allowed_dirs: {
    type: 'directory',
    title: 'Media folder',
    description: 'Additional folder that agents may read and write',
  },
  base_url: { type: 'string', title: 'Remote service' },
  api_key: { type: 'string', title: 'API key', sensitive: true },
  confirm_above_credits: { type: 'number', title: 'Confirm above credits', min: 0 },
} as const satisfies Partial<Record<ClientSetting, object>>

/** `manifest.json` of the bundle that desktop clients install (MCPB). */
export function bundleManifest(pack: Package, operations: readonly Operation[]): unknown {
  const { name, version, description, license, engines } = pack
  const dialog = Object.entries(dialogSettings).map(([setting, field]) => {
    const { variable, meaning } = settingVariable(setting as keyof typeof dialogSettings)
    return { setting, variable, field: { description: meaning, ...field, required: false } }
  })
  return {
    manifest_version: '0.3',
    name,
    display_name: title,
    version,
    description,
    author: { name: `${title} contributors` },
    license,
    server: {
      type: 'node',
      entry_point: 'bin/reelwright.mjs',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/bin/reelwright.mjs', 'mcp'],
        env: Object.fromEntries(
          dialog.map(({ setting, variable }) => [variable, `\${user_config.${setting}}`]),
        ),
      },
    },
    tools: [...allTools(operations).values()].map(({ definition }) => ({
      name: definition.name,
      description: definition.title,
    })),
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
    user_config: Object.fromEntries(dialog.map(({ setting, field }) => [setting, field])),
  }
}
