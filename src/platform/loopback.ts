/** Returns whether a host is the loopback interface: a name, or an address with or without brackets. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)
}

/** Origin, as browsers write it, of a `Host` header; undefined if the host is not this server. */
export function ownOrigin(host: string | undefined, publicHost: string | undefined): string | undefined {
  const hostHeader = host?.toLowerCase() ?? ''
  // The port counts: on any other port than the proxy's, a key would be sent over plain http.
  if (publicHost !== undefined && hostHeader.replace(/:443$/, '') === publicHost)
    return `https://${publicHost}`
  return isLoopback(hostHeader.replace(/:\d+$/, '')) ? `http://${hostHeader.replace(/:80$/, '')}` : undefined
}
