class Tokensync < Formula
  include Language::Python::Virtualenv

  desc "Keeps design tokens in sync between Figma variables and code"
  homepage "https://github.com/tokensync/tokensync"
  license "Apache-2.0"
  head "https://github.com/tokensync/tokensync.git", branch: "main"

  depends_on "python@3.13"

  def install
    virtualenv_install_with_resources
  end

  test do
    system bin/"tokensync", "demo", "--quiet"
    assert_path_exists testpath/"tokensync-demo/code/web/tokens.css"
  end
end
