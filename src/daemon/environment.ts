// What programs need to run at all and to speak the user's language; compared in upper case, as
// Windows names its variables in any.
const inheritedVariables = new Set(
  `PATH HOME LANG LC_ALL LC_CTYPE TZ TMPDIR TMP TEMP USER LOGNAME
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA
  PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)`.split(/\s+/),
)

/**
 * The part of an environment that a daemon gets. It serves many clients, so nothing of the one that
 * happened to start it may change its behaviour: settings come from the configuration file.
 */
export function daemonEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => inheritedVariables.has(name.toUpperCase())),
  )
}
