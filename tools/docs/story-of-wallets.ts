/** The part of the story about passes, with a certificate and a key that only the documents use. */
import { type Step, step } from "./step.ts";

const certificate = `-----BEGIN CERTIFICATE-----
MIIDczCCAlugAwIBAgICEAIwDQYJKoZIhvcNAQELBQAwRzEwMC4GA1UEAxMnV29y
bGR3aWRlIERldmVsb3BlciBSZWxhdGlvbnMgb2YgYSB0ZXN0MRMwEQYDVQQKEwpB
cHBsZSBJbmMuMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjCBgTEl
MCMGCgmSJomT8ixkAQETFXBhc3MuY29tLmV4YW1wbGUuY2FyZDEsMCoGA1UEAxMj
UGFzcyBUeXBlIElEOiBwYXNzLmNvbS5leGFtcGxlLmNhcmQxEzARBgNVBAsTCkEx
QjJDM0Q0RTUxFTATBgNVBAoTDEV4YW1wbGUgR21iSDCCASIwDQYJKoZIhvcNAQEB
BQADggEPADCCAQoCggEBANJ+RCBa43ITeQViz5AfbKppen2oRRJZCCUQgMUvyJlU
0NbCBul8oJ3PPhrzvQsWBxyFveow71XlcH6KNRh/IMYyDXm3pUu3Us1EbXZgy7rV
purYEUGbePyEtxOmZEhJpPx3CxR3wArycga0fQhgRSdVmhBdpYHdYG57FlOnCkI1
RjIakCnIRAOiyDxJiK/TnlrQ30tUV/IbNTGGLfZhgeylM684KN/hWtpLNkyHLpxG
fdsr7aPnojdf9bHSVC5306JSMBiYbZOcZo6eWZ6GqxOVlEDgoIaTzmGG69bntAi2
8Fmc0kHkLrqEB8MTbB1OvUTeMwWpgBDDLDq/KvKWYvUCAwEAAaMsMCowCQYDVR0T
BAIwADAdBgNVHSUEFjAUBggrBgEFBQcDAgYIKwYBBQUHAwEwDQYJKoZIhvcNAQEL
BQADggEBAE4heHK48TsZm0Brj7iwBh1poYPP6VRh/AlV2jH764eDnHFFyauiLIrv
n+f94t+EQK1te7HpxpThtm3s0RVuG/W6Qb6+G+2VXKnNvumQhd8/AL7k80/8JyC3
6pw/TDfVs2uPtEdBN8zoPAKy852V2bTiLX/kUZG4ToHkaktitIB9+QVItpt7+90b
1nZVHn/gMVbIMQ9fPdXcaeBZgrmJ2ynIMH86/eIATS3mH3RQIR8j47J0LsLqtGdz
TuRxw0bi2NE4hJw/1czS7b8Y8D4wuu5LsB/PKvlNr2KQPFpb/iBr8TUtBQ12o1yt
PMf3hKJ6LsYsKbMBVDId/sLArI3QtXo=
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDSfkQgWuNyE3kF
Ys+QH2yqaXp9qEUSWQglEIDFL8iZVNDWwgbpfKCdzz4a870LFgcchb3qMO9V5XB+
ijUYfyDGMg15t6VLt1LNRG12YMu61abq2BFBm3j8hLcTpmRISaT8dwsUd8AK8nIG
tH0IYEUnVZoQXaWB3WBuexZTpwpCNUYyGpApyEQDosg8SYiv055a0N9LVFfyGzUx
hi32YYHspTOvOCjf4VraSzZMhy6cRn3bK+2j56I3X/Wx0lQud9OiUjAYmG2TnGaO
nlmehqsTlZRA4KCGk85hhuvW57QItvBZnNJB5C66hAfDE2wdTr1E3jMFqYAQwyw6
vyrylmL1AgMBAAECggEAJx1IBxQkmjzkmvvc0q0IOhV+Kc4EQc/SC+Mobpv9xIJm
iVXGR4p9ZT3Ozl7XFPGLskDnBNcBjn5jfFwt2Ca9fh7scp8N5AdFp3es+JetnAMa
MJ8ke8LKhXAa/heIIIew1SpA4JWNFeuuBTFyX4VWLGRDjAF+4SY0Rmtwf2x1o04h
AcKahvtMe2gcUz/hNj1eWPQKGcYhOuJ+BukU249QziY8MCsKPWIi59KZktIqvmrR
y/guLjCSrJHbuB+9Sk5H3qmmsws0rRsI/bX7d60VsAUFU6bu+wHpY0CXNRjIZZXi
OGaR0Q33VYB+2zBw+pllj8byg7iqCK3L02bbps8ceQKBgQD6AzvdEVPElJhgpohh
k/MRLrhCMTLB8teJSXPU7IFezDLuFyLZiipC+zq7CNuhmeLiKxfaIX07JHeOFO09
cbM3x5pVuz6R2oSHkO5zIW5Yt+1WuoBpWcc3mTOuZhtf5JDnYJ8pmRq4AFfIHi8y
qwPI/QlADZ1AdU+8bMqHJQK+bQKBgQDXiL+dJym4p3GKKY9YGJSVrdSDxo1Bffgx
ITMOZR6BHNyGvY3ElN7SgKyiL8C6axlaGJBvDGiQ7zE8mU5wEh4LaMB+3GzqHwUg
9Ihx/eKED2jKmrFH0daEtiHB2TXH9FHY2XFP7+6gSrZOu72MHcOuH9QaJLgZ2J2G
rop/fwFBqQKBgQDZC3up9MPzUkljBtA5XhbToOqn1ExLYgZKEjFz9QpvAPlqBz3i
+3arBa279/msNotoa57eaNpuQL9l4rb+87lxwGA080RjnQAXLPRFkQ1aCfsKowid
7SntE5xxWAWF30kJBbHHjDpM6UdL3SB+bUbw8vNX3znYXr+lRhEg+DmElQKBgQCu
x7Ti4rRBin9XE9arENvE+T7BUYyQ1G8koBCAFt4Cw33NQf+przN2LmRP7TtzsI/R
cOQHOV++UEl0I7noxbhZdivLdEJaJKeLDuFq1wAOKVTIH2Otous7mVqMkPC84lJQ
8BukQCQZFhz6geH2sthQ5nygarBkPTWY1wd21m4VaQKBgQCI9PG8pYkKSPbnEWu6
AgQIfKhoQtZvVdqB9dgwv4MfEJPcEnon9lfLmD4ZiXJYT5k8oogjykEl4vZIaRrE
2clr/725/SecF5IlzgbrNXhpD9gFSGaZQDeLZIWFWLXnU4NVjKf8wwWZZkgLbock
00aeB2FLB27prPiUs1HV7sTJyA==
-----END PRIVATE KEY-----
`;
const intermediate = `-----BEGIN CERTIFICATE-----
MIIDHDCCAgSgAwIBAgICEAEwDQYJKoZIhvcNAQELBQAwRzEwMC4GA1UEAxMnV29y
bGR3aWRlIERldmVsb3BlciBSZWxhdGlvbnMgb2YgYSB0ZXN0MRMwEQYDVQQKEwpB
cHBsZSBJbmMuMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjBHMTAw
LgYDVQQDEydXb3JsZHdpZGUgRGV2ZWxvcGVyIFJlbGF0aW9ucyBvZiBhIHRlc3Qx
EzARBgNVBAoTCkFwcGxlIEluYy4wggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
AoIBAQCPfw38JtasG3Ltdykkc663h3p11ianHEKk1Wf/OuDB2CBfApE+/vrGXX2A
U6RSGJpbYkTVO5xYnStBt6l04DeKJe346p43yYUjH0FcqspxcxiM5mSoJgEhhWNy
pFZO34//QscWX+wK2dAPJ1eJpwv9wGldzEtSZc4By2SMAeG8YwtQALInR3SKKL0m
4BxRGMZwLeB/5hvcdIQv0AzApmDETGoaxxhf+iczzLcxqtfloYUzuqhbftEY7uKi
VeGqOcb1Qkr8TuncQ1PN4FhFVeF34fR8d1SxmM7ECA+0lq2mCn0h4kMqkwL9SaCK
EHWqrHg8x52lMEYWiZ9zScG/a4Z9AgMBAAGjEDAOMAwGA1UdEwQFMAMBAf8wDQYJ
KoZIhvcNAQELBQADggEBAAqPKyhPnF0D0VNGNwK5M1/P2+4gr2gDQj1FiLdl/2Ct
9geA8DHKqI0NUuZPC9qP8tRl+Iq0R0MHR3EEKLnqVkDt3SujD57MXyivtZtoCkob
oWB5a+g1/u0RbBUaSOhv3ne8hT3MMFPEt8puJB4PocopdX/0v0X1xnHkp6B4oxRV
pCsqCnfwOverXj7ivucyagK9s6cZgWrpu/z+EVD2xRLwVjlZPuJ7zWK9b1AQMoYA
AjMoDu1ZvxHFp6K1/4AKhfdP6YLTaHp+zhPsC8bXeWa0cqlsXxTaWuMFmxCNbyyw
3YAbBz+FRcUZad/V3ImS/ItqZ9s36c8Gah8OvZgRmTI=
-----END CERTIFICATE-----
`;

/** A key that nothing accepts. */
const serviceAccountKey = {
  type: "service_account",
  project_id: "example-shop",
  private_key_id: "0f8fad5bd9cb469fa16570867728950e",
  private_key: `-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDCUDbKuKBAayb3
oTkMnqSEgvgqxuWJolwmOQNfYd3QosNww8InpX0O4gOatR16QqhPIhL8tNuE/z/N
4RYIqeswWb3uFbHz+aHz/HEvAdP6qNmvuRcZwHdPTRxdD6en9Tj6PY4xh+VbU4Su
+bx9n/DSWKY6VcD8+FvxysVKv9639XCCkZZIfGR0iM40JhiVkMLwiHdIa/0Hf01o
vSaYcy+vjeJdCiszABlR0T0mzuPs9/cnY3g25fB6cU+fCOU3wuowPE615Yt6s9gV
cNzp1ml8eoWMjuipDeGCiulsFb5abHglJVSeUTNasAFwAjSuVetOLouXpdZg4SL1
V1EVCUAtAgMBAAECggEAFrZiNn8uxA4s8i7scywr62KU+Ahi63EzN4iHJg6owGqg
pj1LeW+KLEOAy67ghi+PwB1/KKifLBmFxLPK69z9+kXTFybUCRd5tazL3K8TBFku
MLBVdz4cSVmoYhGitYAgASf8HJACNWg6ub/D0iSayotwH/YcEQrv/FWI4BGIn+nN
Q89DMYFmHrbFM1eHF5NMkN7hRK0V1rzDO1VNIS1mUT6Ud+2NIcYiIahIJwxVpzz1
GutWrNCcSJV0jm+51AVQzmVAbfB9lhmXgXzTh9hxQW/QTxaK3oOp6CaEUjxCQVIl
JolFdl08xoIm7cuFp1dT6NKETSRF7qerqsQGRYduRQKBgQDjwqFSNbC+M3BO/QbV
Bc37+jkufvMrplitrkEW5zjG3kvn5ajPs1v7mZkmH15FtYnoeHZE07enZNJ9cT0/
S5AKKn0xOtEmj/djArTTtf/sSxKovkSFcXtQqmA+m7b+HMBeBDFEqbw7/dfs2xvi
Fg1YkK9EynCcvplJOSNt0gNp0wKBgQDaZ/Cn2+EsLq9/YPAyEaLNPT4/RwavrUgF
h8gNNAump3+oMbwQw1bD/y/i6v7KxF7XHJ1o8RFlqYqNpsYO7u8slWx0Kb2fAz+g
6ogXWYNUCTvelI8NwHuumsXqbfcof+reitUpOJxNeCwJT2JqEhW8EwvmMu1Q+U4+
vBzcYZxt/wKBgERJOVbNlCUihPyZri+2ItD2b6h6FWwz3oiMIyW7w3EUewuW9qr3
Ko/fuGQOqZQa3rMdUtBF7d05REap6eQNQq1ZmdlluglmxpQf3plPCuEMjRacnSyp
HoDL5DlBNHcxpZdKiH7+qNoPvGpeMxjw5aV1E6d7TpIgLxMeF3o4qh9TAoGAAOgN
h6TR+mz3LYApfwuzsUZfy8Nvs6r0cZFusx9ULQzk6r3KGge1hHq6qCZxiEXoXtwv
iw/1EobxnETk7YrwUy8LlC/YKaDJ0tEmX3JvqRmgtfvH3DbATKk3yRFLxU9CmknZ
OKKTg37ML/20WtxYWr95fSsY8Q0X1grR09hT3eECgYA8vkoLPL9OrDfog8jsJC8q
ekDrD1QCPeGPqiO9HADwG5a3XGxJ66OOZywBf6e0orjPmJK2nS/2QfDTbYvhi98z
ZnRCNWrRsUsMWDRL+hXC/MrLwcOyY6MqmZeNh2yR/jMc1fZEeXnWVuc+rm8l2/ZD
uHNb067tDtD0I5s7WXXkKw==
-----END PRIVATE KEY-----
`,
  client_email: "passes@example-shop.iam.gserviceaccount.com",
};

/** @param business the fields of each request */
export const walletSteps = (business: object): readonly Step[] => [
  step("/op/apple-wallet/set-up", {
    idempotency_key: "apple-wallet-1",
    ...business,
    certificate,
    intermediate_certificate: intermediate,
    pass_type: "pass.com.example.card",
    team: "A1B2C3D4E5",
  }),
  step("/op/apple-wallet/get", business),
  step("/op/apple-wallet/delete", { idempotency_key: "apple-wallet-2", ...business }),
  // Google has nothing to answer yet.
  step("/op/google-wallet/get", business),
  step("/op/google-wallet/set-up", {
    idempotency_key: "google-wallet-1",
    ...business,
    service_account_key: JSON.stringify(serviceAccountKey),
    issuer_id: "3388000000022112345",
    pass_logo_url: "https://www.example.com/logo.png",
  }),
  step("/op/google-wallet/delete", { idempotency_key: "google-wallet-2", ...business }),
];
