# One thread reads 8 KiB at a time from anywhere in one file.
define file name=large,path=/export/data,size=1g,prealloc,reuse
define process name=reader,instances=1
{
  thread name=reader,memsize=5m,instances=1
  {
    flowop read name=somewhere,filename=large,iosize=8k,random,directio=1
  }
}
run 1
